import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { GatewayError } from '../core/errors.ts'
import { findWorkspace } from './workspace.ts'

/** A disk of files; every folder above one is there too. */
function diskOf(...files: readonly string[]) {
  return (path: string) => {
    if (files.includes(path)) return Promise.resolve('file' as const)
    return Promise.resolve(files.some(file => file.startsWith(`${path}/`)) ? ('other' as const) : ('missing' as const))
  }
}

describe('the workspace', () => {
  const cases: readonly {
    readonly name: string
    readonly disk: readonly string[]
    readonly config?: string
    readonly paths?: readonly string[]
    readonly want: Awaited<ReturnType<typeof findWorkspace>>
  }[] = [
    { name: 'is the cwd where nothing says otherwise', disk: [], want: { folder: '/a/b/c' } },
    {
      name: 'is the nearest ancestor with a sallyport.yaml',
      disk: ['/a/sallyport.yaml', '/sallyport.yaml'],
      want: { folder: '/a', configFile: '/a/sallyport.yaml' },
    },
    {
      name: 'is the nearest ancestor with a toolclad.toml',
      disk: ['/a/b/toolclad.toml', '/a/sallyport.yaml'],
      want: { folder: '/a/b' },
    },
    {
      name: 'is the cwd itself before its ancestors',
      disk: ['/a/b/c/toolclad.toml', '/a/b/c/sallyport.yaml', '/a/toolclad.toml'],
      want: { folder: '/a/b/c', configFile: '/a/b/c/sallyport.yaml' },
    },
    {
      name: 'is the folder of --config, whatever the file is called',
      disk: ['/a/sallyport.yaml', '/x/other.yaml', '/x/sallyport.yaml'],
      config: '../../../x/other.yaml',
      want: { folder: '/x', configFile: '/x/other.yaml' },
    },
    {
      name: 'is a folder that was named',
      disk: ['/a/sallyport.yaml', '/a/b/c/w/sallyport.yaml'],
      paths: ['w'],
      want: { folder: '/a/b/c/w', configFile: '/a/b/c/w/sallyport.yaml' },
    },
    {
      name: 'need not be configured when named',
      disk: ['/a/sallyport.yaml', '/w/x'],
      paths: ['/w'],
      want: { folder: '/w' },
    },
    {
      name: 'stays that of the cwd for files that were named',
      disk: ['/a/sallyport.yaml', '/a/b/c/x.clad.toml', '/y.clad.toml'],
      paths: ['x.clad.toml', '/y.clad.toml', './x.clad.toml'],
      want: { folder: '/a', configFile: '/a/sallyport.yaml', files: ['/a/b/c/x.clad.toml', '/y.clad.toml'] },
    },
  ]
  for (const { name, disk, want, ...query } of cases)
    test(name, async () => {
      assert.deepEqual(await findWorkspace({ cwd: '/a/b/c', kindOf: diskOf(...disk), ...query }), want)
    })

  for (const paths of [['gone'], ['w', 'x.clad.toml'], ['w', 'v']])
    test(`${paths.join(' ')} is refused`, async () => {
      const kindOf = diskOf('/a/w/f', '/a/v/f', '/a/x.clad.toml')
      await assert.rejects(
        findWorkspace({ cwd: '/a', kindOf, paths }),
        (error: unknown) => error instanceof GatewayError && error.code === 'file_unreadable',
      )
    })
})
