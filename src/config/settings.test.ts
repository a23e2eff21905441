import assert from 'node:assert/strict'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { GatewayError } from '../core/errors.ts'
import { STRICT } from '../formats/format.ts'
import { readEnvironment, wantsNoColor } from './env.ts'
import { isLoopback, parseListen } from './listen.ts'
import { resolveSettings } from './settings.ts'
import type { SettingsSources } from './settings.ts'

const WORKSPACE = { folder: '/work/space' }
const NOTHING: SettingsSources = {
  cwd: '/work/space/deep',
  workspace: WORKSPACE,
  flags: {},
  environment: readEnvironment({}),
  config: {},
}

describe('settings', () => {
  test('have defaults', () => {
    assert.deepEqual(resolveSettings(NOTHING), {
      workspace: '/work/space',
      stateDir: '/work/space/.sallyport',
      listen: { host: '127.0.0.1', port: 7411 },
      deployment: STRICT,
      durability: 'full',
      evidenceDir: join(tmpdir(), 'toolclad-evidence'),
      killGraceMs: 2000,
      environment: {},
    })
  })

  test('a flag goes before the environment, that before the file', () => {
    const config = { listen: { host: 'file', port: 1 }, evidence: { dir: 'kept' } }
    const environment = readEnvironment({
      SALLYPORT_LISTEN: 'env:2',
      SALLYPORT_STATE: 'env-state',
      TOOLCLAD_EVIDENCE_DIR: 'env-evidence',
    })
    const flags = { listen: { host: 'flag', port: 3 }, state: 'flag-state' }
    assert.equal(listenHost({ config }), 'file')
    assert.equal(listenHost({ config, environment }), 'env')
    assert.equal(listenHost({ config, environment, flags }), 'flag')
    assert.equal(stateDir({ environment }), '/work/space/deep/env-state')
    assert.equal(stateDir({ environment, flags }), '/work/space/deep/flag-state')
    assert.equal(evidenceDir({ config }), '/work/space/kept')
    assert.equal(evidenceDir({ config, environment }), '/work/space/deep/env-evidence')
  })

  test('paths of the file are meant from the workspace', () => {
    const { filesRoot, tools, deployment, durability } = resolveSettings({
      ...NOTHING,
      config: { files: { root: '../other', allow_hidden: true }, tools: ['x'], storage: { durability: 'normal' } },
    })
    assert.deepEqual(
      { filesRoot, tools, allowHidden: deployment.allowHidden, durability },
      { filesRoot: '/work/other', tools: ['x'], allowHidden: true, durability: 'normal' },
    )
  })

  test('files that were named, and the file of the configuration, are kept', () => {
    const workspace = { ...WORKSPACE, configFile: '/work/space/sallyport.yaml', files: ['/a.clad.toml'] }
    const { files, configFile } = resolveSettings({ ...NOTHING, workspace })
    assert.deepEqual({ files, configFile }, { files: ['/a.clad.toml'], configFile: '/work/space/sallyport.yaml' })
  })
})

describe('the environment', () => {
  test('is read, and a variable set to nothing is unset', () => {
    const { token, ...rest } = readEnvironment({
      SALLYPORT_TOKEN: 'abc',
      SALLYPORT_STATE: '',
      SALLYPORT_LISTEN: '',
      TOOLCLAD_KILL_GRACE_MS: '250',
      LANG: 'C.UTF-8',
      LC_ALL: '',
      TZ: 'UTC',
      HOME: '/nowhere',
    })
    assert.equal(token?.reveal(), 'abc')
    assert.deepEqual(rest, { killGraceMs: 250, inherited: { lang: 'C.UTF-8', lcAll: '', tz: 'UTC' }, warnings: [] })
  })

  for (const text of ['-1', '1.5', 'two', '1e3', '99999999', ' 5'])
    test(`TOOLCLAD_KILL_GRACE_MS=${JSON.stringify(text)} is ignored with a warning`, () => {
      const { killGraceMs, warnings } = readEnvironment({ TOOLCLAD_KILL_GRACE_MS: text })
      assert.equal(killGraceMs, undefined)
      assert.equal(warnings.length, 1)
      assert.match(warnings[0] ?? '', /TOOLCLAD_KILL_GRACE_MS/)
    })

  for (const [name, text] of [
    ['SALLYPORT_TOKEN', ''],
    ['SALLYPORT_TOKEN', 'a b'],
    ['SALLYPORT_TOKEN', 'a\n'],
    ['SALLYPORT_TOKEN', 'é'],
    ['SALLYPORT_LISTEN', '7411'],
  ] as const)
    test(`${name}=${JSON.stringify(text)} is refused, and the value of a token is not repeated`, () => {
      assert.throws(
        () => readEnvironment({ [name]: text }),
        (error: unknown) =>
          error instanceof GatewayError &&
          error.code === 'config_invalid' &&
          error.message.includes(name) &&
          (name !== 'SALLYPORT_TOKEN' || text === '' || !error.message.includes(`"${text}"`)),
      )
    })

  test('NO_COLOR counts when it is set to anything but nothing', () => {
    assert.deepEqual(
      [wantsNoColor({}), wantsNoColor({ NO_COLOR: '' }), wantsNoColor({ NO_COLOR: '1' })],
      [false, false, true],
    )
  })
})

describe('an address to listen on', () => {
  const cases: readonly (readonly [string, string | undefined])[] = [
    ['127.0.0.1:0', '127.0.0.1 0'],
    ['localhost:7411', 'localhost 7411'],
    ['[::1]:80', '::1 80'],
    ['host:65535', 'host 65535'],
    ['host:65536', undefined],
    ['::1:80', undefined],
    ['[host]:80', undefined],
    [':80', undefined],
    ['host', undefined],
    ['host:', undefined],
    ['http://host:80', undefined],
    [' host:80', undefined],
  ]
  for (const [text, want] of cases)
    test(text, () => {
      const listen = parseListen(text)
      assert.equal(listen === undefined ? undefined : `${listen.host} ${listen.port}`, want)
    })

  test('loopback is what cannot be reached from elsewhere', () => {
    assert.deepEqual(['127.0.0.1', '127.9.9.9', '::1', 'localhost'].map(isLoopbackHost), [true, true, true, true])
    assert.deepEqual(['0.0.0.0', '::', '10.0.0.1', '127.0.0.1.example.com'].map(isLoopbackHost), [
      false,
      false,
      false,
      false,
    ])
  })
})

function listenHost(sources: Partial<SettingsSources>): string {
  return resolveSettings({ ...NOTHING, ...sources }).listen.host
}

function stateDir(sources: Partial<SettingsSources>): string {
  return resolveSettings({ ...NOTHING, ...sources }).stateDir
}

function evidenceDir(sources: Partial<SettingsSources>): string {
  return resolveSettings({ ...NOTHING, ...sources }).evidenceDir
}

function isLoopbackHost(host: string): boolean {
  return isLoopback({ host, port: 1 })
}
