import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { run } from './processes.ts'

/** Programs that tests need and users do not: installed once, outside the lock, each version in a folder of its own. */
const CACHE = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'sallyport-tests')

/** Installs an npm package at an exact version and answers the folder that holds its node_modules. */
export async function installed(name: string, version: string): Promise<string> {
  const folder = join(CACHE, `${name.replaceAll(/[^a-z0-9]+/gi, '-')}-${version}`)
  if (existsSync(join(folder, '.complete'))) return folder
  const partial = `${folder}.${process.pid}`
  mkdirSync(partial, { recursive: true })
  writeFileSync(join(partial, 'package.json'), '{"private":true}')
  const { code, stderr } = await npm(['install', '-E', `${name}@${version}`], partial)
  if (code !== 0) throw new Error(`npm install ${name}@${version} failed: ${stderr}`)
  writeFileSync(join(partial, '.complete'), '')
  rmSync(folder, { recursive: true, force: true })
  renameSync(partial, folder)
  return folder
}

/** npm, without what a surrounding `npm test` left in the environment. */
export function npm(args: readonly string[], cwd: string): ReturnType<typeof run> {
  return run('npm', [...args, '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd,
    env: { npm_config_prefix: '', npm_config_local_prefix: cwd, INIT_CWD: cwd },
  })
}
