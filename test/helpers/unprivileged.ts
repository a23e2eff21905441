import { execFileSync } from 'node:child_process'

/**
 * Runs a module as a user without rights and gives what it prints. Its static imports are loaded before the rights go: the
 * checkout may be where that user cannot look, as below `mktemp -d`.
 */
export function unprivileged(module: string): string {
  const drop = 'if (process.getuid?.() === 0) { process.setgroups([]); process.setgid(65534); process.setuid(65534) }'
  return execFileSync(process.execPath, ['--input-type=module', '-e', `${drop}\n${module}`], { encoding: 'utf8' })
}
