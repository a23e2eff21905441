import { defineCommand } from '../command.ts'
import { VERSION } from '../version.ts'

export const version = defineCommand({
  operands: '',
  flags: {},
  examples: [{ line: 'sallyport version --json', does: 'with the versions it runs on' }],
  run: (args, { print }) => {
    const { version: node, platform, arch } = process
    if (args.format === 'json') print.json({ name: 'sallyport', version: VERSION, node, platform, arch })
    else print.text(`sallyport ${VERSION}`)
    return Promise.resolve(0)
  },
})
