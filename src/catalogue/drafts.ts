// Drafts of the catalogue file: what they say, their mistakes, and the text that would be saved, with the file's keys put back.
import { dirname } from 'node:path'
import type { Catalogue } from '../domain/catalogue.ts'
import { invalidRequest } from '../domain/errors.ts'
import { createRedactor, type Redactor, secretsOf } from '../observe/redact.ts'
import { endOfTurn, runInTurns } from '../utilities/end-of-turn.ts'
import { type ChangedPart, changedTables } from './changed-parts.ts'
import { refusedChanges } from './console-bounds.ts'
import { type Edit, editToml } from './edit.ts'
import { type HiddenText, type KnownOrigins, restoreSecrets } from './hidden-text.ts'
import { FROM_FILE, keyFilesIn, type ReadKeyFile } from './key-files.ts'
import { type ReadOptions, readCatalogue } from './load.ts'
import type { Mistake } from './mistakes.ts'
import { sharedIn } from './of-the-machine.ts'
import { keysWrittenIn, machineSettingsIn } from './shared-bounds.ts'
import { BYTE_ORDER_MARK, type TomlDocument, type TomlTable, withoutMark } from './toml.ts'

/** A change that is not saved yet: a text in place of the file's own, and edits of it. Without either it is the file. */
export interface Draft {
  /** As `read` shows it, changed. */
  text?: string | undefined
  edits?: readonly Edit[] | undefined
}

export interface CheckedDraft {
  /** The draft with its edits made: without the secrets of the file, though with those that the draft itself brought. */
  text: string
  values: TomlTable | null
  mistakes: Mistake[]
  warnings: Mistake[]
  /** The differences from the file. */
  parts: ChangedPart[]
  /** The catalogue that would be in force; undefined if there are mistakes. With its secrets: not for showing. */
  catalogue: Catalogue | undefined
}

export interface FileParts extends Pick<ReadOptions, 'env' | 'protocols'> {
  path: string
  /** The one in force. */
  catalogue: () => Catalogue
  /** Environment variables that a draft may name, whatever env_names says. */
  named_variables?: ReadonlySet<string> | undefined
}

/** The base of a draft. */
export interface DraftBase {
  /** With its secrets. */
  text: string
  values: TomlTable | null
  hidden: HiddenText | undefined
  origins: KnownOrigins
  /** The file of this machine, where the text is in the database. */
  machine?: TomlDocument | undefined
}

interface Prepared extends CheckedDraft {
  /** With its secrets. */
  raw: string
  /** The same without a byte order mark. */
  restored: string
}

/**
 * Each part of the work takes some milliseconds of the event loop.
 *
 * @throws GatewayError invalid_request if the file cannot be the base of a draft
 */
export async function prepare(
  parts: FileParts,
  { text, hidden, values, origins, machine }: DraftBase,
  draft: Draft,
): Promise<Prepared> {
  if (!hidden) throw unreadable()
  const drafted = draft.text === undefined ? hidden.text : withLineEndsOf(draft.text, text)
  const edited = draft.edits ? await runInTurns(editToml(drafted, draft.edits)) : drafted
  await endOfTurn()
  const restored = restoreSecrets(edited, hidden, origins)
  await endOfTurn()
  const raw = (text.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : '') + restored.text
  const known = new Set([
    ...origins.keys(),
    ...hidden.variables.map(({ variable }) => variable),
    ...(parts.named_variables ?? []),
  ])
  const { mistakes, warnings, catalogue } = readWith(parts, raw, { known, machine })
  const beyond = refusedChanges({
    before: values ?? {},
    after: machine && restored.values ? sharedIn(restored.values) : restored.values,
    named: restored.variables,
    known,
    is_shared: machine !== undefined,
  })
  const not_shared = machine
    ? [
        ...keysWrittenIn(restored.text, redactorFor(catalogue ?? parts.catalogue())),
        ...machineSettingsIn(restored.text, restored.values ?? {}),
      ]
    : []
  const all = [...restored.mistakes, ...mistakes, ...beyond, ...not_shared]
    .sort((one, other) => one.line - other.line)
    .slice(0, MAX_MISTAKES)
  return {
    raw,
    restored: restored.text,
    text: edited,
    values: restored.values ?? null,
    mistakes: hideIn(parts, all),
    warnings: hideIn(parts, warnings),
    parts: changedTables(values ?? {}, restored.values ?? {}),
    catalogue: all.length === 0 ? catalogue : undefined,
  }
}

interface ReadContext {
  /** Of a draft: it has no other files looked at, which would tell whether they are there. */
  known?: { has(variable: string): boolean }
  /** As in `DraftBase`. */
  machine?: TomlDocument | undefined
}

/** The values of a text with its secrets. */
export function readWith(
  { env, protocols, path }: FileParts,
  text: string,
  { known, machine }: ReadContext = {},
) {
  const { read } = keyFilesIn(dirname(path))
  const read_key_file: ReadKeyFile = (file) =>
    known?.has(`${FROM_FILE}${file}`) === false ? { unreadable: 'the file does not name it yet' } : read(file)
  const reading = readCatalogue(text, { env, protocols, read_key_file, machine })
  return reading.ok
    ? { catalogue: reading.catalogue, mistakes: [], warnings: reading.warnings }
    : { catalogue: undefined, mistakes: reading.mistakes, warnings: [] }
}

/** No message repeats a value that is secret; this holds whatever a later one says. */
export function hideIn({ catalogue }: Pick<FileParts, 'catalogue'>, all: readonly Mistake[]): Mistake[] {
  const redactor = redactorFor(catalogue())
  return all.map((mistake) => ({ ...mistake, message: redactor.hide(mistake.message) }))
}

/** Of a draft that is something else than a catalogue, each line may be one. */
const MAX_MISTAKES = 200

const redactors = new WeakMap<Catalogue, Redactor>()

/** Of the keys alone: to the operator addresses are no secret. */
export function redactorFor(catalogue: Catalogue): Redactor {
  const known = redactors.get(catalogue)
  if (known) return known
  const [credentials] = secretsOf(catalogue)
  const made = createRedactor(credentials)
  redactors.set(catalogue, made)
  return made
}

/** A browser's text field has lines that end in a line feed alone, whatever the file's end in. */
function withLineEndsOf(draft: string, file: string): string {
  const text = withoutMark(draft)
  return file.includes('\r\n') && !text.includes('\r') ? text.replaceAll('\n', '\r\n') : text
}

const unreadable = () =>
  invalidRequest(
    'The file is no TOML, and is not shown, because its keys could not be hidden. Put it right on the server: `tollgate config check` names the line.',
    { code: 'configuration_unreadable' },
  )
