import type { OfferedTool } from '../../gateway.ts'
import type { Style } from '../style.ts'
import { table } from '../table.ts'
import { VERSION } from '../version.ts'

export interface Served {
  readonly workspace: string
  readonly tools: readonly OfferedTool[]
  /** Of the MCP endpoint. */
  readonly url: string
  /** Revealed: this is where the person gets it. */
  readonly token: string
  /** The program and arguments that start the same gateway over stdio. */
  readonly stdio: readonly string[]
}

export interface BannerOptions {
  readonly style: Style
  readonly width?: number | undefined
}

/** What a person reads when the gateway is ready: what it found, and lines to paste that connect a client. */
export function banner({ workspace, tools, url, token, stdio }: Served, { style, width }: BannerOptions): string {
  const header = `Authorization: Bearer ${token}`
  const config = { mcpServers: { sallyport: { type: 'http', url, headers: { Authorization: `Bearer ${token}` } } } }
  return [
    `${style('bold', `Sallyport ${VERSION}`)} serves ${workspace}`,
    '',
    tools.length === 0 ? 'No tools yet: put a .clad.toml file into tools/.' : table(rows(tools), { style, width }),
    '',
    `MCP endpoint  ${style('bold', url)}`,
    `Bearer token  ${style('bold', token)}`,
    '',
    style('dim', 'Connect Claude Code:'),
    `  claude mcp add --transport http sallyport ${url} --header ${quoted(header)}`,
    style('dim', 'Any client that is configured in JSON:'),
    `  ${JSON.stringify(config)}`,
    style('dim', 'Over stdio, where the client starts the gateway itself:'),
    `  claude mcp add sallyport -- ${stdio.map(quoted).join(' ')}`,
    '',
    'Files are watched: a change is served at once. Ctrl-C stops.',
  ].join('\n')
}

function rows(tools: readonly OfferedTool[]): readonly (readonly string[])[] {
  return [['TOOL', 'WHAT IT DOES'], ...tools.map(({ name, tool }) => [name, firstSentence(tool.description)])]
}

function firstSentence(description: string): string {
  const [line = ''] = description.trim().split('\n')
  return /^.*?[.!?](?=\s|$)/.exec(line)?.[0] ?? line
}

/** For a POSIX shell. */
function quoted(word: string): string {
  if (/^[\w./:@%+=,-]+$/.test(word)) return word
  return /^[^"$`\\!]*$/.test(word) ? `"${word}"` : `'${word.replaceAll("'", `'\\''`)}'`
}
