import { dadlSupport } from '../../formats/dadl/features.ts'
import { defineCommand } from '../command.ts'
import { VERSION } from '../version.ts'

export const version = defineCommand({
  operands: '',
  flags: {},
  examples: [{ line: 'sallyport version --json', does: 'with what it runs on and what of DADL it does' }],
  run: (args, { print }) => {
    const { version: node, platform, arch } = process
    if (args.format === 'json')
      print.json({ name: 'sallyport', version: VERSION, node, platform, arch, dadl: dadlSupport() })
    else print.text(`sallyport ${VERSION}`)
    return Promise.resolve(0)
  },
})
