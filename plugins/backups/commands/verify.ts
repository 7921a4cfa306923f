// The command `backup verify`: a trial restore into a temporary folder.
import type { Command } from 'commander'
import { contextOf } from '../../../src/app/command-line/context.ts'
import { fields } from '../../../src/app/command-line/table.ts'
import { addExample, type CliDeps } from '../../../src/app/command-line/terminal.ts'
import { drill } from '../restoring/restore.ts'
import type { Unpacked } from '../restoring/unpacked.ts'
import {
  archiveNamed,
  type KeyFlags,
  type UnpackFlags,
  withKeyOptions,
  withUnpacking,
  withUnpackOptions,
} from './options.ts'

export function addBackupVerifyCommand(backup: Command, deps: CliDeps): void {
  const verify = backup
    .command('verify')
    .argument('<archive>', 'a file, s3://BUCKET/NAME, or a name that `backup list` shows')
    .summary('Try a restore without changing anything.')
    .description(
      'Restore an archive into a temporary folder (in TMPDIR), compare every hash, run the audit, and remove ' +
        'the folder. The exit status is 1 if the archive could not be restored.',
    )
  addExample(verify, 'backup verify tollgate-20261121T030000Z.tar.zst')
  withUnpackOptions(withKeyOptions(verify, 'decrypt')).action(async (name: string, _, command: Command) => {
    // The parent command `backup` has the same options and parses them first, so they are read from both.
    const flags = command.optsWithGlobals<KeyFlags & UnpackFlags>()
    const context = contextOf(command, deps)
    const { archive, keys } = await archiveNamed(name, flags, context, deps)
    const content = await archive.open()
    const found = await withUnpacking({ archive, content, deps, json: context.json }, (bytes, onAudit) =>
      drill(bytes, { archive: archive.where, keys, max_bytes: flags.maxBytes, onAudit }),
    )
    context.answer(
      { file: archive.where, name: archive.name, ...viewOf(found) },
      describe(archive.where, found),
    )
  })
}

/** The result of the checks as JSON. */
export function viewOf({ manifest, is_encrypted, audit }: Unpacked) {
  const { version, schema_version, made_at_ms, entries, deleted_meanwhile, missing } = manifest
  return {
    made_at: new Date(made_at_ms).toISOString(),
    made_at_ms,
    version,
    schema_version,
    encrypted: is_encrypted,
    files: entries.length,
    content_bytes: entries.reduce((sum, { bytes }) => sum + bytes, 0),
    accounts: audit.totals.accounts,
    calls: audit.totals.calls,
    balance_nanos: audit.totals.balance_nanos,
    rules: audit.rules.length,
    clean: audit.clean,
    deleted_meanwhile,
    missing,
  }
}

function describe(where: string, unpacked: Unpacked): string {
  const view = viewOf(unpacked)
  const checked = fields([
    ['made', view.made_at],
    ['by version', `${view.version}, database ${view.schema_version}`],
    ['encrypted', view.encrypted ? 'yes' : 'no'],
    ['files', `${view.files} of ${view.content_bytes} bytes: all hashes match`],
    ['accounts', String(view.accounts)],
    ['calls', String(view.calls)],
    [
      'audit',
      view.clean ? `clean: all ${view.rules} rules hold` : 'the same problems as when it was created',
    ],
  ])
  const missing =
    view.missing.length > 0
      ? [
          `Files missing or damaged when it was created: ${view.missing.length}.`,
          ...view.missing.slice(0, 20),
        ]
      : []
  return [where, '', checked, '', ...missing, 'It can be restored.'].join('\n')
}
