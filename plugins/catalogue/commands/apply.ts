// `config apply`: stores a file as the catalogue in the database, for all gateways that share it.

import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { createTwoFilesPatch } from 'diff'
import { type Context, contextOf } from '../../../src/app/command-line/context.ts'
import { type DataFolder, engineOfFolder } from '../../../src/app/command-line/data-folder.ts'
import { addExample, type CliDeps } from '../../../src/app/command-line/terminal.ts'
import { savedWords } from '../../../src/app/commands/configuration.ts'
import { confirm, isYes } from '../../../src/app/commands/confirm.ts'
import { type Applied, applied } from '../../../src/catalogue/applied.ts'
import { hideSecrets } from '../../../src/catalogue/hidden-text.ts'
import { type SharedText, warningLines } from '../../../src/catalogue/load-file.ts'
import { withoutMachine } from '../../../src/catalogue/machine-text.ts'
import { formatMistake, type Mistake } from '../../../src/catalogue/mistakes.ts'
import { isOfTheMachine, machineSettings, sharedFieldsIn } from '../../../src/catalogue/of-the-machine.ts'
import { newestShared } from '../../../src/catalogue/past-queries.ts'
import { applyShared } from '../../../src/catalogue/shared.ts'
import { readToml } from '../../../src/catalogue/toml.ts'
import { conflict, unprocessable } from '../../../src/domain/errors.ts'
import { createRedactor } from '../../../src/observe/redact.ts'
import { BUILT_IN_REGISTRY } from '../../../src/protocols/registry.ts'
import type { Db } from '../../../src/store/db.ts'
import { aliveGateways } from '../../../src/store/gateways.ts'

export function addConfigApply(config: Command, deps: CliDeps): void {
  addExample(config.command('apply'), 'config apply tollgate.toml')
    .summary('Put a catalogue in force for all gateways.')
    .description(
      'Put a catalogue file into the PostgreSQL database of [storage], for all gateways over it. They take it from there, ' +
        `and their own tollgate.toml keeps what is of the machine: ${machineSettings()}. You see the changes first. ` +
        'Keys are not written there: name variables, as "env:NAME", and set them on each machine.',
    )
    .argument('<file>', 'a catalogue, such as data/tollgate.toml')
    .option('--yes', 'write without asking')
    .action(async (file: string, flags: { yes?: boolean }, command: Command) => {
      const context = contextOf(command, deps)
      const engine = await engineOfFolder(context.folder)
      if (!engine.is_shared) throw NOT_ON_SERVER(context.folder)
      // Creates the tables: this may run before any gateway, on a machine with nothing but [storage].
      await using db = await engine.open({ ...context.folder, access: 'make' })
      await apply(context, { db, address: engine.address, file, ...flags }, deps)
    })
}

interface ApplyOrder {
  db: Db
  /** Address of the database, for messages. */
  address: string
  file: string
  yes?: boolean
}

async function apply(context: Context, { db, address, file, yes }: ApplyOrder, deps: CliDeps): Promise<void> {
  const { folder, json, answer, remark, warn } = context
  const machine = await readFile(folder.catalogue_path, 'utf8')
  const options = { env: folder.env, protocols: BUILT_IN_REGISTRY, path: folder.catalogue_path, machine }
  const { text, left_out, mistakes, warnings } = applied(await readFile(file, 'utf8'), options)
  if (mistakes.length > 0) throw hasMistakes(file, folder, mistakes)
  const in_force = await newestShared(db)
  const { length: running } = await aliveGateways(db)
  for (const line of warnings.map((mistake) => formatMistake(file, mistake))) warn(line)
  if (left_out.length > 0)
    remark(`Left out, because each machine has its own in tollgate.toml: ${left_out.join(', ')}.`)
  const view = { file, left_out, warnings }
  if (in_force?.text === text)
    return answer(
      { ...view, version: in_force.version, written: false },
      `${file} is in force already: it is version ${in_force.version} of the catalogue.`,
    )
  const patch = patchOf(in_force, machine, { file, text })
  if (!json) answer(undefined, patch)
  const about = `This puts ${file} in force for all gateways over ${address}; running now: ${running}.`
  await confirm(deps, { yes, json, about, prompt: 'Put it in force? [y/N] ', agrees: isYes })
  const next = { text, made_at_ms: deps.now(), made_by: 'command:config apply' } as const
  const version = await db.begin((tx) => applyShared(tx, next, in_force?.version))
  if (json) answer({ ...view, version, written: true, patch }, '')
  remark(savedWords(folder, { version }))
  warnOfUnusedSettings(context, version, machine)
}

/** Returns the difference to the catalogue in force: this machine's file if the database has none. */
function patchOf(
  in_force: SharedText | undefined,
  machine: string,
  { file, text }: { file: string; text: string },
): string {
  const own = in_force?.text ?? hideSecrets(withoutMachine(machine).text, createRedactor([]))?.text ?? ''
  return createTwoFilesPatch(in_force ? `version ${in_force.version}` : 'tollgate.toml', file, own, text)
}

/** Warns of settings in this machine's file that have no effect. */
function warnOfUnusedSettings({ folder, warn }: Context, version: number, machine: string): void {
  const document = readToml(machine)
  const unused = document.ok ? sharedFieldsIn(document.value) : []
  for (const line of warningLines(folder.catalogue_path, { warnings: [], shared: { version, unused } }))
    warn(line)
}

function hasMistakes(file: string, { catalogue_path }: DataFolder, mistakes: Applied['mistakes']) {
  const lineOf = (mistake: Mistake) =>
    formatMistake(isOfTheMachine(mistake.path) ? catalogue_path : file, mistake)
  return unprocessable(`Nothing was written. ${file} has mistakes:\n${mistakes.map(lineOf).join('\n')}`)
}

const NOT_ON_SERVER = ({ catalogue_path }: DataFolder) =>
  conflict(
    `This gateway has no PostgreSQL database that others could share: its catalogue is the file ${catalogue_path}, which you can edit. ` +
      '`tollgate migrate --to` moves its database to PostgreSQL.',
  )
