/** A manifest to start from: it is valid, and runs as it is. `name` is judged by whoever loads it. */
export function scaffold(name: string): string {
  return `# What an agent can call. "sallyport validate FILE" says what is wrong with it, "sallyport test FILE" what would run.

[tool]
name = ${JSON.stringify(name)}
version = "0.1.0"
binary = "echo"                             # the program, as exec names it
description = "Greets somebody"             # what a model reads when it chooses a tool
timeout_seconds = 10
risk_tier = "low"                           # info, low, medium; high and critical need a person's approval

[args.who]                                  # one table for each argument
type = "string"                             # or integer, enum, path, url, …
default = "world"                           # or required = true
pattern = "[A-Za-z]+"                       # the whole value must match
description = "Who is greeted"

[command]
exec = ["echo", "Hello", "{who}"]           # one entry each; no shell ever sees it

[output]
format = "text"                             # or json, jsonl, csv, xml
`
}
