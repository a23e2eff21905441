import type { Command } from '../command.ts'
import { audit } from './audit.ts'
import { call } from './call.ts'
import { doctor } from './doctor.ts'
import { helpCommand } from './help.ts'
import { init } from './init.ts'
import { list } from './list.ts'
import { run } from './run.ts'
import { schema } from './schema.ts'
import { serve } from './serve.ts'
import { show } from './show.ts'
import { test } from './test.ts'
import { types } from './types.ts'
import { validate } from './validate.ts'
import { version } from './version.ts'

/** Every command, in the order of help. */
export const COMMANDS: readonly Command[] = [
  serve,
  list,
  schema,
  types,
  show,
  test,
  run,
  call,
  validate,
  init,
  doctor,
  audit,
  version,
  helpCommand(() => COMMANDS),
]
