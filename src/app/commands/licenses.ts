// `licenses`: the licenses of the software included in the program.
import type { Command } from 'commander'
import manifest from '../../../package.json' with { type: 'json' }
import type { Notice, Notices } from '../../build/notices/packages.ts'
import { contextOf } from '../command-line/context.ts'
import { addExample, type CliDeps } from '../command-line/terminal.ts'
import { readNotices } from './notices.ts'

export function addLicensesCommand(program: Command, deps: CliDeps): void {
  addExample(program.command('licenses'), 'licenses')
    .summary('Print the licenses of the software in this program.')
    .description(
      'Print the name, license and license text of every npm package in this program, of libvips with its libraries, and of ' +
        'Bun with its libraries.',
    )
    .action(async (_: object, command: Command) => {
      const { answer } = contextOf(command, deps)
      const all = await readNotices()
      answer(all, describeNotices(all))
    })
}

/** In the LGPL's texts, for printers. A terminal would show them as control characters. */
const PAGE_BREAK = '\f'
const RULE = '-'.repeat(80)

/** @returns the text that `tollgate licenses` prints, without the final newline */
export function describeNotices({ notices, texts }: Notices): string {
  const head = [
    `Tollgate is under the ${manifest.license} license. It includes the software below, under these licenses.`,
    '',
    'Libraries under the LGPL can be replaced: libvips is a file that is unpacked and loaded at run time, and Tollgate can be built',
    'from its source with another Bun or another libvips (`bun run build`).',
  ]
  const named = Object.entries(texts).map(([name, text]) => `${RULE}\nText of ${name}\n\n${text}`)
  return [head.join('\n'), ...notices.map(describe), ...named].join('\n\n').replaceAll(PAGE_BREAK, '')
}

const describe = ({ name, version, license, text, remark }: Notice): string =>
  [
    RULE,
    `${name}${version === null ? '' : ` ${version}`}`,
    `License: ${license}`,
    ...present(remark),
    ...present(text),
  ].join('\n')

const present = (part: string | null): string[] => (part === null ? [] : ['', part])
