import { test } from 'node:test'
import * as alertmanager from '../../examples/alertmanager/check.ts'
import { check as harbour } from '../../examples/harbour/check.ts'
import { check as workstation } from '../../examples/workstation/check.ts'

test('examples/workstation', workstation)
test('examples/harbour', harbour)
test('examples/alertmanager', { skip: alertmanager.skip }, alertmanager.check)
