// `upgrade`: replaces this executable with another version's, from a file or a URL.
import { readFileSync, statSync } from 'node:fs'
import type { Command } from 'commander'
import { type Context, contextOf } from '../../src/app/command-line/context.ts'
import { wrapped } from '../../src/app/command-line/table.ts'
import { addExample, type CliDeps } from '../../src/app/command-line/terminal.ts'
import { isCompiled } from '../../src/app/process/relaunch.ts'
import { RELEASE_PUBLIC_KEY } from '../../src/build/release/public-key.ts'
import { readPublicKey } from '../../src/build/release/signature.ts'
import { invalidRequest } from '../../src/domain/errors.ts'
import type { VersionChanges } from './changes.ts'
import { executableToReplace, restartCommand } from './installation.ts'
import { sourceOf } from './source.ts'
import { type Upgrade, upgradeTo } from './upgrade.ts'

interface UpgradeFlags {
  from: string
  publicKey?: string
  dryRun?: boolean
}

export function addUpgradeCommand(program: Command, deps: CliDeps): void {
  addExample(program.command('upgrade'), 'upgrade --from tollgate-0.5.0-linux-x64.tar.gz --dry-run')
    .summary('Replace this executable with that of another release.')
    .description(
      'Verify the archive of a release by the checksums.txt beside it, and checksums.txt by its signature if a public key is known. Try its executable ' +
        'and its doctor on the data folder, then replace this executable, which stays beside it as tollgate.before. Print the ' +
        'changes. A running gateway uses the new one after a restart. Only the URL that you name and the two files beside it are requested.',
    )
    .requiredOption('--from <file|url>', 'the archive, with checksums.txt in the same folder')
    .option(
      '--public-key <key>',
      "the releases' key, as text or as a .pub file, instead of the one in this program",
    )
    .option('--dry-run', 'do everything except the replacement')
    .action(async ({ from, publicKey, dryRun = false }: UpgradeFlags, command: Command) => {
      const context = contextOf(command, deps)
      const executable = executableToReplace({ path: process.execPath, is_compiled: isCompiled() })
      const upgrade = await upgradeTo({
        source: sourceOf(from, (url) => fetch(url, { redirect: 'manual' })),
        executable,
        folder: context.folder,
        public_key: publicKey === undefined ? RELEASE_PUBLIC_KEY : keyOf(publicKey),
        is_dry: dryRun,
        now_ms: deps.now(),
      })
      report(context, upgrade)
    })
}

/** Reads the key before any download, so that a typing mistake does not look like a wrong signature. */
function keyOf(text_or_path: string): string {
  const is_file = statSync(text_or_path, { throwIfNoEntry: false })?.isFile()
  const text = is_file ? readFileSync(text_or_path, 'utf8') : text_or_path
  if (readPublicKey(text)) return text
  throw invalidRequest(
    `--public-key: ${text_or_path} is ${is_file ? 'not the file of a public key' : 'neither a file nor a public key'} of minisign. Give the line that begins with RW, or the .pub file.`,
  )
}

function report({ answer, remark, folder }: Context, upgrade: Upgrade): void {
  if (upgrade.signed === null)
    remark('Only the checksum was verified, because no public key is known. Name the key with --public-key.')
  if (!upgrade.checked_data)
    remark(
      `No data found in ${folder.dir}, so the new version was not tried on it. Name the data folder with --data.`,
    )
  answer(
    upgrade,
    [
      ...headOf(upgrade),
      ...findingsOf(upgrade),
      ...upgrade.changes.flatMap(changesOf),
      ...restOf(upgrade),
    ].join('\n'),
  )
}

function headOf({ from, to, executable, kept, is_same, signed }: Upgrade): string[] {
  const checked = signed === null ? 'Checksum verified.' : `Checksum and signature verified (${signed}).`
  if (is_same)
    return [`This is the executable of ${to} already: ${executable}`, `${checked} Nothing was changed.`]
  return kept === null
    ? [`Tollgate ${to} could replace ${from}: ${executable}`, `${checked} Nothing was changed.`]
    : [`Tollgate ${to} has replaced ${from}: ${executable}`, `${checked} The previous executable is ${kept}.`]
}

function findingsOf({ findings, to }: Upgrade): string[] {
  if (findings.length === 0) return []
  const each = findings.flatMap(({ check, found, advice }) =>
    itemLines(`${check}: ${found}${advice === null ? '' : `. ${advice}`}`),
  )
  return ['', `The doctor of ${to} found in your data folder:`, ...each]
}

function changesOf({ version, before_you_upgrade, others }: VersionChanges): string[] {
  return [
    ...(before_you_upgrade.length > 0 ? ['', `Before you start ${version}:`] : []),
    ...before_you_upgrade.flatMap(itemLines),
    ...others.flatMap(({ of, items }) => [
      '',
      `New in ${version}, for ${of.toLowerCase()}:`,
      ...items.flatMap(itemLines),
    ]),
  ]
}

const itemLines = (text: string): string[] =>
  wrapped(text, '  ').map((line, at) => (at === 0 ? `- ${line.slice(2)}` : line))

function restOf({ executable, kept }: Upgrade): string[] {
  if (kept === null) return []
  const restart = restartCommand()
  return [
    '',
    ...wrapped(
      'Restart the gateway to use it. Until then, commands are refused if they would change its tables.',
      '',
    ),
    ...(restart === undefined ? [] : [`  ${restart}`]),
    ...wrapped(
      'To go back, stop the gateway, run this line, and start it. If the log said "migrated the database", restore the copy that it names first.',
      '',
    ),
    `  mv ${kept} ${executable}`,
  ]
}
