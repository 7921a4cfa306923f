// The catalogue file as it is read and changed by a running gateway: without its secrets, and only by those who saw its last state.
import { readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Catalogue } from '../domain/catalogue.ts'
import { conflict, invalidRequest, unprocessable } from '../domain/errors.ts'
import { createRedactor, type Redactor, secretsOf } from '../observe/redact.ts'
import { endOfTurn } from '../utilities/end-of-turn.ts'
import { beyondConsole } from './console-bounds.ts'
import { type Edit, editToml } from './edit.ts'
import {
  type HiddenText,
  hideSecrets,
  type KnownOrigins,
  restoreSecrets,
  showsSecretOf,
} from './hidden-text.ts'
import { FROM_FILE, keyFilesIn, type ReadKeyFile } from './key-files.ts'
import { type ReadOptions, readCatalogue } from './load.ts'
import type { Mistake } from './mistakes.ts'
import { replaceFile } from './replace-file.ts'
import { BYTE_ORDER_MARK, readToml, type TomlTable, withoutMark } from './toml.ts'

/** A change that is not saved yet: a text in place of the file's own, and edits of it. Without either it is the file. */
export interface Draft {
  /** As `read` shows it, changed. */
  text?: string | undefined
  edits?: readonly Edit[] | undefined
}

export interface ConfigurationFile {
  path: string
  /** Of the file's bytes: what is saved must have been made from these. */
  hash: string
  /** Without secrets; null if the file is no TOML, because nobody knows then what is secret in it. */
  text: string | null
  /** What the text says, by its names; null if there is no text. */
  values: TomlTable | null
  mistakes: Mistake[]
  warnings: Mistake[]
  /** Settings that differ from those that the process started with. */
  waiting_for_restart: readonly string[]
}

export interface CheckedDraft {
  /** The draft with its edits made: without the secrets of the file, though with those that the draft itself brought. */
  text: string
  values: TomlTable | null
  mistakes: Mistake[]
  warnings: Mistake[]
  /** What would be in force; undefined if there are mistakes. With its secrets: not for showing. */
  catalogue: Catalogue | undefined
}

export interface SavedConfiguration {
  hash: string
  warnings: Mistake[]
  waiting_for_restart: readonly string[]
}

/** The catalogue file of a gateway. */
export interface Configuration {
  readonly path: string
  /** @throws the file system's error where the file cannot be read */
  read(): Promise<ConfigurationFile>
  /** @throws GatewayError invalid_request for edits of a text that is no TOML, or of places that it does not have */
  check(draft: Draft): Promise<CheckedDraft>
  /**
   * Replaces the file as a whole, keeping its owner and its mode, and puts it in force.
   *
   * @param hash of the file that the draft was made from
   * @throws GatewayError conflict if the file has changed since; unprocessable with the first mistake, and then nothing
   * is changed
   */
  save(draft: Draft, hash: string): Promise<SavedConfiguration>
}

export interface ConfigurationParts extends Pick<ReadOptions, 'env' | 'protocols'> {
  path: string
  catalogue: () => Catalogue
  /** Puts the file in force, as `WatchedCatalogue` does. */
  reload: () => Promise<void>
  waitingForRestart: () => readonly string[]
}

/** The catalogue file at a path. Saves run one after the other. */
export function createConfiguration(parts: ConfigurationParts): Configuration {
  const { path, catalogue } = parts
  let known: (Loaded & { of: Catalogue }) | undefined
  const origins = new Map<string, Set<string>>()
  /** The file is read every time; what it says, only where it or the catalogue in force has changed. */
  const load = async (): Promise<Loaded> => {
    const bytes = await readFile(path)
    const hash = hashOf(bytes)
    if (known?.hash !== hash || known.of !== catalogue()) {
      const text = bytes.toString()
      const hidden = hideSecrets(withoutMark(text), redactorFor(catalogue()))
      const shown = hidden && readToml(hidden.text)
      const values = shown?.ok ? shown.value : null
      noteOrigins(origins, hidden, parts.env)
      known = { of: catalogue(), hash, text, hidden, values, origins, ...readWith(parts, text) }
    }
    return known
  }
  let last_save: Promise<unknown> = Promise.resolve()

  return {
    path,
    async read() {
      const { hash, hidden, values, mistakes, warnings } = await load()
      return {
        path,
        hash,
        text: hidden?.text ?? null,
        values,
        mistakes: hideIn(parts, mistakes),
        warnings: hideIn(parts, warnings),
        waiting_for_restart: parts.waitingForRestart(),
      }
    },
    async check(draft) {
      const { raw: _, restored: __, ...checked } = await prepare(parts, await load(), draft)
      return checked
    },
    save(draft, hash) {
      const saved = last_save.then(async () => {
        const file = await load()
        if (file.hash !== hash) throw changedMeanwhile()
        const { raw, restored, mistakes, warnings } = await prepare(parts, file, draft)
        const [first] = mistakes
        if (first) throw hasMistakes(first, mistakes.length)
        const shown = hideSecrets(restored, redactorFor(catalogue()))
        if (!shown || !file.hidden || showsSecretOf(shown, file.hidden)) throw wouldShow()
        // Others' work went on meanwhile, and somebody may have saved the file in an editor.
        if (hashOf(await readFile(path)) !== hash) throw changedMeanwhile()
        await replaceFile(path, raw)
        await parts.reload()
        return { hash: hashOf(Buffer.from(raw)), warnings, waiting_for_restart: parts.waitingForRestart() }
      })
      // Dropped: its own caller is told about the failure, and the next save goes ahead.
      last_save = saved.catch(() => {})
      return saved
    },
  }
}

interface Loaded {
  text: string
  hash: string
  values: TomlTable | null
  mistakes: Mistake[]
  warnings: Mistake[]
  hidden: HiddenText | undefined
  origins: KnownOrigins
}

/**
 * Notes where variables that are set go by a file. That stays known when a later one no longer says so: nothing is sent
 * elsewhere by being removed and added again.
 */
function noteOrigins(
  origins: Map<string, Set<string>>,
  hidden: HiddenText | undefined,
  env: ReadOptions['env'],
): void {
  for (const { variable, origin } of hidden?.variables ?? []) {
    if (!env[variable] && !variable.startsWith(FROM_FILE)) continue
    origins.set(variable, (origins.get(variable) ?? new Set()).add(origin))
  }
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
async function prepare(
  parts: ConfigurationParts,
  { text, hidden, values, origins }: Loaded,
  draft: Draft,
): Promise<Prepared> {
  if (!hidden) throw unreadable()
  const drafted = draft.text === undefined ? hidden.text : likeFile(draft.text, text)
  const edited = draft.edits ? await inTurns(editToml(drafted, draft.edits)) : drafted
  await endOfTurn()
  const restored = restoreSecrets(edited, hidden, origins)
  await endOfTurn()
  const raw = (text.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : '') + restored.text
  const known = new Set([...origins.keys(), ...hidden.variables.map(({ variable }) => variable)])
  const { mistakes, warnings, catalogue } = readWith(parts, raw, known)
  const beyond = beyondConsole({
    before: values ?? {},
    after: restored.values,
    named: restored.variables,
    known,
  })
  const all = [...restored.mistakes, ...mistakes, ...beyond]
    .sort((one, other) => one.line - other.line)
    .slice(0, MAX_MISTAKES)
  return {
    raw,
    restored: restored.text,
    text: edited,
    values: restored.values ?? null,
    mistakes: hideIn(parts, all),
    warnings: hideIn(parts, warnings),
    catalogue: all.length === 0 ? catalogue : undefined,
  }
}

async function inTurns<T>(work: Generator<void, T>): Promise<T> {
  for (;;) {
    const { done, value } = work.next()
    if (done) return value
    await endOfTurn()
  }
}

/** @param known of a draft: it has no other files looked at, which would tell whether they are there */
function readWith(
  { env, protocols, path }: ConfigurationParts,
  text: string,
  known?: { has(variable: string): boolean },
) {
  const { read } = keyFilesIn(dirname(path))
  const read_key_file: ReadKeyFile = (file) =>
    known?.has(`${FROM_FILE}${file}`) === false ? { unreadable: 'the file does not name it yet' } : read(file)
  const reading = readCatalogue(text, { env, protocols, read_key_file })
  return reading.ok
    ? { catalogue: reading.catalogue, mistakes: [], warnings: reading.warnings }
    : { catalogue: undefined, mistakes: reading.mistakes, warnings: [] }
}

/** No message repeats a value that is secret; this holds whatever a later one says. */
function hideIn({ catalogue }: ConfigurationParts, all: readonly Mistake[]): Mistake[] {
  const redactor = redactorFor(catalogue())
  return all.map((mistake) => ({ ...mistake, message: redactor.hide(mistake.message) }))
}

/** Of a draft that is something else than a catalogue, each line may be one. */
const MAX_MISTAKES = 200

const redactors = new WeakMap<Catalogue, Redactor>()

/** Of the keys alone: to the operator addresses are no secret. */
function redactorFor(catalogue: Catalogue): Redactor {
  const known = redactors.get(catalogue)
  if (known) return known
  const [credentials] = secretsOf(catalogue)
  const made = createRedactor(credentials)
  redactors.set(catalogue, made)
  return made
}

/** A browser's text field has lines that end in a line feed alone, whatever the file's end in. */
function likeFile(draft: string, file: string): string {
  const text = withoutMark(draft)
  return file.includes('\r\n') && !text.includes('\r') ? text.replaceAll('\n', '\r\n') : text
}

const hashOf = (bytes: Uint8Array): string => new Bun.CryptoHasher('sha256').update(bytes).digest('hex')

const changedMeanwhile = () =>
  conflict(
    'The file has changed since you read it. Read it again, and make your change there; nothing was saved.',
    { code: 'configuration_changed', param: 'hash' },
  )

const unreadable = () =>
  invalidRequest(
    'The file is no TOML, and is not shown, because its keys could not be hidden. Put it right on the server: `tollgate config check` names the line.',
    { code: 'configuration_unreadable' },
  )

const wouldShow = () =>
  invalidRequest(
    'This would show a key that the file hides: keep hidden values where they are, or write the key anew.',
    { code: 'hidden_key_moved', param: 'text' },
  )

function hasMistakes({ path, line, message }: Mistake, count: number) {
  const more = count === 1 ? '' : ` There are ${count - 1} more mistakes.`
  return unprocessable(
    `Line ${line}: ${path === '' ? 'the file' : path} ${message}.${more} Nothing was saved.`,
    { code: 'configuration_mistakes', param: path === '' ? 'text' : path },
  )
}
