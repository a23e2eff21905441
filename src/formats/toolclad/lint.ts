// What a manifest may not do silently: start an interpreter, or reach the network without blocking internal targets
// (ToolClad spec, Tool-Level Hardening Keys; rulings 3 and 4).
import { everyArgument } from './arguments.ts'
import { readElements } from './command.ts'
import type { CustomTypes } from './custom-types.ts'
import type { Problems } from './problems.ts'
import { COMMAND, TOOL } from './schema.ts'
import { hasKey, pathOf, readBoolean, readSection, readString } from './section.ts'
import type { Section } from './section.ts'
import { startupProgram } from './session.ts'
import { EGRESS_BINARIES, INTERPRETERS, NETWORK_TYPES } from './spec.ts'

/** True where the tool reaches the network. */
export function lintPrograms(manifest: Section, customTypes: CustomTypes, problems: Problems): boolean {
  const tool = readSection(manifest, 'tool', TOOL)
  const programs = programsOf(manifest)
  const allowed = readBoolean(tool, 'allow_interpreter')
  const interpreter = programs.find(({ name }) => isInterpreter(name))
  if (interpreter !== undefined && !allowed)
    problems.error(
      'interpreter',
      interpreter.path,
      `"${interpreter.name}" runs what it is given: [tool] allow_interpreter = true permits it`,
    )
  warnOfMismatch(programs, problems)
  const sections = ['http', 'browser'].filter(name => Object.hasOwn(manifest.table, name))
  const egress =
    readBoolean(tool, 'network_egress') ||
    sections.length > 0 ||
    programs.some(({ name }) => isListed(name, EGRESS_BINARIES))
  if (egress) lintTargets(manifest, customTypes, problems)
  return egress
}

/** Whether a program of this name runs what it is given. */
export function isInterpreter(name: string): boolean {
  return isListed(name, INTERPRETERS)
}

interface Program {
  readonly name: string
  readonly path: string
  /** An executor: the `binary` is what it runs, so the names may differ. */
  readonly wraps?: true
}

/** `argv[0]`, the executor or the first word of `startup_command`, and `tool.binary`. */
function programsOf(manifest: Section): readonly Program[] {
  const tool = readSection(manifest, 'tool', TOOL)
  const command = readSection(manifest, 'command', COMMAND)
  const binary = readString(tool, 'binary')
  const executor = readString(command, 'executor')
  const argv0 = executor === undefined ? readElements(command)?.[0] : undefined
  const started = startupProgram(manifest)
  return [
    ...(executor === undefined ? [] : [{ name: executor, path: pathOf(command, 'executor'), wraps: true as const }]),
    ...(argv0 === undefined ? [] : [{ name: argv0.text, path: argv0.at }]),
    ...(started === undefined ? [] : [started]),
    ...(binary === undefined ? [] : [{ name: binary, path: pathOf(tool, 'binary') }]),
  ]
}

function warnOfMismatch([argv0, binary]: readonly Program[], problems: Problems): void {
  if (
    argv0 === undefined ||
    argv0.wraps === true ||
    binary === undefined ||
    basename(argv0.name) === basename(binary.name)
  )
    return
  problems.warning(
    'binary_mismatch',
    argv0.path,
    `the program "${argv0.name}" is not the [tool] binary "${binary.name}"`,
  )
}

/** By base name, without case, with and without a version at the end (`python3.11`). */
function isListed(program: string, list: ReadonlySet<string>): boolean {
  const name = basename(program).toLowerCase()
  return list.has(name) || list.has(name.replace(/-?\d[\d.]*$/, ''))
}

function basename(program: string): string {
  return program.slice(program.lastIndexOf('/') + 1)
}

/** Every argument that names a target, by a custom type too (rulings 2 and 20). */
function lintTargets(manifest: Section, { types }: CustomTypes, problems: Problems): void {
  for (const { name, argument } of everyArgument(manifest)) {
    const type = readString(argument, 'type')
    const base = types.get(type)?.base.name
    if (base !== undefined && NETWORK_TYPES.includes(base))
      problems.error(
        'custom_type_network',
        pathOf(argument, 'type'),
        `the tool reaches the network, so argument '${name}' must be of the built-in type ${base}: "${type}" cannot block internal targets`,
      )
    if (!NETWORK_TYPES.includes(type) || readBoolean(argument, 'block_internal')) continue
    const path = hasKey(argument, 'block_internal') ? pathOf(argument, 'block_internal') : argument.path
    problems.error(
      'egress_block_internal',
      path,
      `the tool reaches the network, so argument '${name}' must set block_internal = true`,
    )
  }
}
