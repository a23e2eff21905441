import { isLoopback } from '../../config/listen.ts'
import type { Settings } from '../../config/settings.ts'
import type { Logger } from '../../core/ports.ts'
import { LOCAL } from '../../core/principal.ts'
import type { Secret } from '../../core/secret.ts'
import type { Web } from '../../server/web.ts'
import type { Gateway } from '../../gateway.ts'
import { openToken, tokenAuthenticator } from '../../identity/token.ts'
import { systemClock, systemIds } from '../../io/system.ts'
import { UsageError } from '../args.ts'
import { defineCommand } from '../command.ts'
import type { Cli } from '../command.ts'
import { noteFrames, openWorkspace, withGateway } from '../open-workspace.ts'
import { VERSION } from '../version.ts'
import { notOffered } from './list.ts'
import { banner } from './serve-banner.ts'

export const serve = defineCommand({
  operands: '[FOLDER|FILE…]',
  details:
    'Serves tools/**/*.clad.toml of the workspace, or what sallyport.yaml says; a FOLDER is taken as the workspace, FILEs are served alone. SALLYPORT_TOKEN sets the bearer token, SALLYPORT_LISTEN the address.',
  flags: {
    stdio: { does: 'speak MCP on standard input and output; the client starts the gateway' },
    listen: { value: 'HOST:PORT', does: 'where to listen; 127.0.0.1:7411 by default, port 0 takes any free one' },
  },
  examples: [
    { line: 'sallyport serve', does: 'this workspace, for clients of this machine' },
    { line: 'sallyport serve examples/workstation', does: 'another folder' },
    { line: 'sallyport serve --stdio', does: 'what an MCP client starts' },
    { line: 'sallyport serve --json --listen 127.0.0.1:0', does: 'one line {url, token, tools} when it is ready' },
  ],
  untilSignal: true,
  run: async (args, cli) => {
    const stdio = args.has('stdio')
    for (const flag of ['json', 'listen'] as const)
      if (stdio && args.has(flag)) throw new UsageError(`--stdio and --${flag} exclude each other`)
    const opened = await openWorkspace(args, cli, { paths: args.operands, listen: args.value('listen') })
    const { settings, environment } = opened
    const json = args.format === 'json'
    const listeners: Web['listener'][] = []
    const use = async (gateway: Gateway, logger: Logger): Promise<number> => {
      const serving = { cli, gateway, logger, settings }
      const forget = await reportProblems(serving)
      for (const line of notOffered(gateway.withheld(LOCAL))) cli.print.note(line)
      if (stdio) await overStdio(serving)
      else await overHttp(serving, { json, given: environment.token, opened: web => listeners.push(web.listener) })
      forget()
      return 0
    }
    return withGateway(settings, cli, use, { watch: true, level: 'info', listeners: () => listeners })
  },
})

interface Serving {
  readonly cli: Cli
  readonly gateway: Gateway
  readonly logger: Logger
  readonly settings: Settings
}

/** Shows the problems of the files now, and again whenever an edit changes them. Returns the way to stop. */
async function reportProblems({ cli, gateway, logger }: Serving): Promise<() => void> {
  let known = JSON.stringify(gateway.problems())
  await noteFrames(gateway.problems(), cli)
  return gateway.onChange(() => {
    logger.info('the tools were loaded again', { tools: gateway.tools(LOCAL).length })
    const problems = gateway.problems()
    const found = JSON.stringify(problems)
    if (found === known) return
    known = found
    if (problems.length === 0) logger.info('no file has a problem any more')
    else void noteFrames(problems, cli)
  })
}

// The protocol and the web server are loaded only where they are used: the other commands start without them.

/** Ends when the client closes the stream, or by a signal. */
async function overStdio({ cli, gateway, logger }: Serving): Promise<void> {
  const { stdin, stdout, signal } = cli
  const { serveMcpStdio } = await import('../../server/mcp/stdio.ts')
  await serveMcpStdio({ gateway, principal: LOCAL, stdin, stdout, signal, logger, version: VERSION })
}

interface HttpOptions {
  readonly json: boolean
  /** The token of the environment. */
  readonly given: Secret | undefined
  readonly opened: (web: Web) => void
}

/** Ends by a signal. */
async function overHttp(serving: Serving, { json, given, opened }: HttpOptions): Promise<void> {
  const { cli, gateway, logger, settings } = serving
  const { print, signal } = cli
  const token = given ?? (await openToken({ stateDir: settings.stateDir, ids: systemIds }))
  const { openWeb } = await import('../../server/web.ts')
  const web = await openWeb({
    gateway,
    ...settings.listen,
    authenticate: tokenAuthenticator(token),
    logger,
    clock: systemClock,
    ids: systemIds,
    version: VERSION,
  })
  opened(web)
  try {
    const { host } = settings.listen
    if (!isLoopback(settings.listen))
      print.note(
        `warning: ${host} can be reached from other machines: whoever has the token can call every tool, and it travels unencrypted`,
      )
    const tools = gateway.tools(LOCAL)
    if (json) await print.jsonLine({ url: web.url, token: token.reveal(), tools: tools.map(({ name }) => name) })
    else {
      const stdio = [
        process.execPath,
        process.argv[1] ?? '',
        'serve',
        '--stdio',
        ...(settings.files ?? [settings.workspace]),
      ]
      const served = { workspace: settings.workspace, tools, url: web.url, token: token.reveal(), stdio }
      print.note(banner(served, { style: print.noteStyle, width: print.width }))
    }
    await aborted(signal)
  } finally {
    await web.close()
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise(resolve => signal.addEventListener('abort', () => resolve(), { once: true }))
}
