import { test } from 'node:test'
import { check } from '../../examples/workstation/check.ts'

test('examples/workstation', check)
