/** A path segment that changes the path it stands in; `%2e` is a dot there too (WHATWG URL). */
export const DOT_SEGMENT = /^(?:\.|%2e){1,2}$/i
