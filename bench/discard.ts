// The gateway with everything on but a store that forgets: what the audit costs is the difference. Takes the workspace and the
// upstream's port, prints what `serve --json` does.
import { join } from 'node:path'
import { Secret } from '../src/core/secret.ts'
import { STRICT } from '../src/formats/format.ts'
import { createGateway } from '../src/gateway.ts'
import { tokenAuthenticator } from '../src/identity/token.ts'
import { systemClock, systemIds } from '../src/io/system.ts'
import { openWeb } from '../src/server/web.ts'
import { SILENT } from '../src/core/ports.ts'
import { forgetful } from './forgetful.ts'

const [, , workspace = '', port = ''] = process.argv
const TOKEN = 'bench'

const gateway = await createGateway({
  store: forgetful,
  logger: SILENT,
  settings: {
    workspace,
    stateDir: join(workspace, '.discard'),
    apis: [
      {
        name: 'harbour',
        file: join(workspace, 'apis/harbour.dadl'),
        url: `http://127.0.0.1:${port}`,
        allowPrivate: false,
        credentials: {},
      },
    ],
    listen: { host: '127.0.0.1', port: 0 },
    deployment: STRICT,
    durability: 'normal',
    evidenceDir: join(workspace, 'evidence'),
    killGraceMs: 2000,
    environment: {},
  },
})
const web = await openWeb({
  gateway,
  logger: SILENT,
  host: '127.0.0.1',
  port: 0,
  authenticate: tokenAuthenticator(new Secret(TOKEN)),
  clock: systemClock,
  ids: systemIds,
  version: '0',
})
console.log(JSON.stringify({ url: web.url, token: TOKEN }))
process.once('SIGTERM', () => void web.close().then(() => gateway.close()))
