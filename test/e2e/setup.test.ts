// The set-up on a fresh clone, under the npm versions and settings that broke it before. Each installs everything anew
// (20 s of CPU), so this runs in CI only.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { after, describe, test } from 'node:test'
import { installed } from '../helpers/install.ts'
import { ROOT, run } from '../helpers/processes.ts'
import type { Ended } from '../helpers/processes.ts'

const NOBODY = 65_534
/** Installs what is missing, then runs a small test on the Node it brought. */
const SCRIPT = ['run', '--silent', 'retest', '--', 'architecture']
const skip = process.env['CI'] === undefined ? 'runs in CI only: set CI=true to run it here' : false

describe('the set-up of a fresh clone', { skip }, () => {
  const folders: string[] = []
  after(() => {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true })
  })

  /** The files git knows, in a folder of their own. */
  function clone(): string {
    const folder = mkdtempSync(join(tmpdir(), 'sallyport-clone-'))
    folders.push(folder)
    const files = execFileSync('git', ['ls-files', '-z'], { cwd: ROOT, encoding: 'utf8' }).split('\0').filter(Boolean)
    for (const file of files)
      if (existsSync(join(ROOT, file))) cpSync(join(ROOT, file), join(folder, file), { verbatimSymlinks: true })
    return folder
  }

  /** The machine's own Node, not the one of this checkout. */
  const outerPath = (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter(part => !part.includes('node_modules'))
    .join(delimiter)

  function setUp(folder: string, npmFolder?: string, env: Record<string, string> = {}): Promise<Ended> {
    const path =
      npmFolder === undefined ? outerPath : `${join(npmFolder, 'node_modules', '.bin')}${delimiter}${outerPath}`
    return run('npm', SCRIPT, {
      cwd: folder,
      env: { PATH: path, npm_execpath: '', npm_node_execpath: '', npm_config_prefix: '', INIT_CWD: folder, ...env },
    })
  }

  function works(folder: string, { code, stdout, stderr }: Ended): void {
    assert.equal(code, 0, stdout + stderr)
    assert.match(stdout, /pass [1-9]/)
    assert.ok(existsSync(join(folder, 'node_modules', '.bin', 'node')) || process.versions.node.startsWith('2'))
  }

  for (const version of ['9.9.4', '10.9.4'])
    test(`npm ${version}`, async () => {
      const folder = clone()
      works(folder, await setUp(folder, await installed('npm', version)))
    })

  test('ignore-scripts=true in the user configuration', async () => {
    const folder = clone()
    works(folder, await setUp(folder, undefined, { npm_config_ignore_scripts: 'true' }))
  })

  test('two at once in one folder', async () => {
    const folder = clone()
    const both = await Promise.all([setUp(folder), setUp(folder)])
    for (const one of both) works(folder, one)
  })

  test(
    'an unprivileged user',
    { skip: process.getuid?.() === 0 ? false : 'this run is unprivileged already' },
    async () => {
      const folder = clone()
      execFileSync('chown', ['-R', `${NOBODY}:${NOBODY}`, folder])
      const home = join(folder, '.home')
      mkdirSync(home)
      chmodSync(home, 0o777)
      const ended = await run(
        'setpriv',
        [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups', 'npm', ...SCRIPT],
        {
          cwd: folder,
          env: {
            PATH: outerPath,
            HOME: home,
            npm_execpath: '',
            npm_node_execpath: '',
            npm_config_prefix: '',
            npm_config_cache: join(home, 'npm'),
            npm_config_userconfig: join(home, '.npmrc'),
            INIT_CWD: folder,
          },
        },
      )
      works(folder, ended)
    },
  )
})

test('the lock holds no addresses', () => {
  const lock = readFileSync(join(dirname(import.meta.dirname), '..', 'package-lock.json'), 'utf8')
  assert.doesNotMatch(
    lock,
    /"resolved"|https?:\/\/(?!github|opencollective|www\.patreon|paulmillr|tidelift|feross|ko-fi)[^"]*\.tgz/,
  )
})
