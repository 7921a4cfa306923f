// Drafts of the catalogue: their values, their mistakes, and the text to save, with the hidden keys restored.
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

/** An unsaved change: a new text, edits of it or of the current text, or neither. */
export interface Draft {
  /** The changed text of `read`. */
  text?: string | undefined
  edits?: readonly Edit[] | undefined
}

export interface CheckedDraft {
  /** The draft after its edits, without the secrets of the current text, but with new secrets of the draft. */
  text: string
  values: TomlTable | null
  mistakes: Mistake[]
  warnings: Mistake[]
  /** The differences from the current text. */
  parts: ChangedPart[]
  /** The resulting catalogue; undefined if there are mistakes. It contains secrets, so it must not be shown. */
  catalogue: Catalogue | undefined
}

export interface FileParts extends Pick<ReadOptions, 'env' | 'protocols'> {
  path: string
  /** The catalogue in force. */
  catalogue: () => Catalogue
  /** Environment variables that a draft may name in addition to env_names. */
  named_variables?: ReadonlySet<string> | undefined
}

/** The text that a draft is based on. */
export interface DraftBase {
  /** With secrets. */
  text: string
  values: TomlTable | null
  hidden: HiddenText | undefined
  origins: KnownOrigins
  /** The file of this machine, if the text is in the database. */
  machine?: TomlDocument | undefined
}

interface Prepared extends CheckedDraft {
  /** The text to save, with secrets. */
  raw: string
  /** `raw` without a byte order mark. */
  restored: string
}

/**
 * Checks a draft. It yields between steps that each block the event loop for some milliseconds.
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

interface KeyFileContext {
  /** Set for a draft: other key files are not read, since that would reveal whether they exist. */
  known?: { has(variable: string): boolean }
  /** As in `DraftBase`. */
  machine?: TomlDocument | undefined
}

/** Reads a text with its secrets. */
export function readWith(
  { env, protocols, path }: FileParts,
  text: string,
  { known, machine }: KeyFileContext = {},
) {
  const { read } = keyFilesIn(dirname(path))
  const read_key_file: ReadKeyFile = (file) =>
    known?.has(`${FROM_FILE}${file}`) === false ? { unreadable: 'the file does not name it yet' } : read(file)
  const reading = readCatalogue(text, { env, protocols, read_key_file, machine })
  return reading.ok
    ? { catalogue: reading.catalogue, mistakes: [], warnings: reading.warnings }
    : { catalogue: undefined, mistakes: reading.mistakes, warnings: [] }
}

/** Hides secrets in messages, although no message should contain one. */
export function hideIn({ catalogue }: Pick<FileParts, 'catalogue'>, all: readonly Mistake[]): Mistake[] {
  const redactor = redactorFor(catalogue())
  return all.map((mistake) => ({ ...mistake, message: redactor.hide(mistake.message) }))
}

/** A draft that is no catalogue at all may have a mistake in each line. */
const MAX_MISTAKES = 200

const redactors = new WeakMap<Catalogue, Redactor>()

/** Returns a redactor of keys only: the operator may see addresses. */
export function redactorFor(catalogue: Catalogue): Redactor {
  const known = redactors.get(catalogue)
  if (known) return known
  const [credentials] = secretsOf(catalogue)
  const made = createRedactor(credentials)
  redactors.set(catalogue, made)
  return made
}

/** Restores the file's CRLF line ends, since browsers' text fields use LF. */
function withLineEndsOf(draft: string, file: string): string {
  const text = withoutMark(draft)
  return file.includes('\r\n') && !text.includes('\r') ? text.replaceAll('\n', '\r\n') : text
}

const unreadable = () =>
  invalidRequest(
    'The file is not TOML, and is not shown, because its keys could not be hidden. Fix it on the server: `tollgate config check` names the line.',
    { code: 'configuration_unreadable' },
  )
