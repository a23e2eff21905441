import { join } from 'node:path'
import { createGateway } from '../../src/gateway.ts'
import type { Gateway, GatewayOptions } from '../../src/gateway.ts'
import type { Settings } from '../../src/config/settings.ts'
import { STRICT } from '../../src/formats/format.ts'
import { processesWith, until } from './processes.ts'
import { makeWorkspace } from './workspace.ts'
import type { TestWorkspace } from './workspace.ts'

export interface TestGateway {
  readonly gateway: Gateway
  readonly workspace: TestWorkspace
  readonly settings: Settings
  readonly untilRunning: (command: string) => Promise<void>
  readonly untilGone: (command: string) => Promise<void>
  readonly dispose: () => Promise<void>
}

/** A real gateway over a temporary workspace, in this process. */
export async function makeGateway(
  files: Readonly<Record<string, string>>,
  options: Partial<GatewayOptions> = {},
  more: Partial<Settings> = {},
): Promise<TestGateway> {
  const workspace = makeWorkspace(files)
  const settings = { ...settingsOf(workspace.path), ...more }
  const gateway = await createGateway({ settings, logger: SILENT, ...options })
  return {
    gateway,
    workspace,
    settings,
    // Only its own: another program of this machine may be called the same.
    untilRunning: command =>
      until(`"${command}" runs`, () => processesWith(command).some(({ parent }) => parent === process.pid)),
    untilGone: command => until(`"${command}" is gone`, () => processesWith(command).length === 0),
    dispose: async () => {
      await gateway.close()
      workspace.dispose()
    },
  }
}

export function settingsOf(workspace: string): Settings {
  return {
    workspace,
    stateDir: join(workspace, '.sallyport'),
    listen: { host: '127.0.0.1', port: 0 },
    deployment: STRICT,
    durability: 'normal',
    evidenceDir: join(workspace, '.evidence'),
    killGraceMs: 200,
    environment: {},
  }
}

const silent = (): void => {}
export const SILENT = { debug: silent, info: silent, warn: silent, error: silent }
