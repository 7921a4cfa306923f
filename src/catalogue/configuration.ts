// The catalogue as it is read and changed by a running gateway, in its file or in the database: without its secrets, and only by those who saw its last state.

import { readFile } from 'node:fs/promises'
import type { Catalogue } from '../domain/catalogue.ts'
import { invalidRequest, unprocessable } from '../domain/errors.ts'
import { counted } from '../utilities/counted.ts'
import {
  type CheckedDraft,
  type Draft,
  type DraftBase,
  type FileParts,
  hideIn,
  prepare,
  readWith,
  redactorFor,
} from './drafts.ts'
import { type HiddenText, hideSecrets, showsSecretOf, withSecretsOf } from './hidden-text.ts'
import { FROM_FILE } from './key-files.ts'
import type { ReadOptions } from './load.ts'
import { withoutMachine } from './machine-text.ts'
import type { Mistake } from './mistakes.ts'
import type { Author, NewVersion } from './past.ts'
import { hashOf, type Placed, readPlaced, replaceFile, type SharedPlace } from './placed-text.ts'
import { type RevivedText, reviveText } from './revive.ts'
import { changedMeanwhile } from './shared.ts'
import { readToml, type TomlTable, withoutMark } from './toml.ts'

export interface ConfigurationFile {
  path: string
  /** Of the text, in bytes: what is saved must have been made from these. */
  hash: string
  /** Of the text in the database; null: it is that of the file. */
  version: number | null
  /** Without secrets; null if the file is no TOML, because nobody knows then what is secret in it. */
  text: string | null
  /** The values of the text, by its names; null if there is no text. */
  values: TomlTable | null
  mistakes: Mistake[]
  warnings: Mistake[]
  /** Settings that differ from those that the process started with. */
  waiting_for_restart: readonly string[]
}

export interface SavedConfiguration {
  hash: string
  /** In the database; null: the file was written. */
  version: number | null
  warnings: Mistake[]
  waiting_for_restart: readonly string[]
}

/** The catalogue of a gateway. */
export interface Configuration {
  readonly path: string
  /** @throws the file system's error where the file cannot be read */
  read(): Promise<ConfigurationFile>
  /**
   * @returns with `safe_text`: the draft without any key, those that it brought included; null if it is no TOML
   * @throws GatewayError invalid_request for edits of a text that is no TOML, or of places that it does not have
   */
  check(draft: Draft): Promise<CheckedDraft & { safe_text: string | null }>
  /**
   * Replaces the file as a whole, keeping its owner and its mode, puts it in force, and keeps its text for the past; where the
   * catalogue is in the database, it puts the draft in force there, for all gateways. Keys of the file before can come back for some minutes, so that a save can be undone.
   *
   * @param hash of the file that the draft was made from
   * @param request_id of the console's request, for the audit log
   * @throws GatewayError conflict if the text has changed since; unprocessable with the first mistake, and then nothing
   * is changed
   */
  save(draft: Draft, hash: string, made_by: Author, request_id?: string): Promise<SavedConfiguration>
  /**
   * Keeps a text for the past that is in force, after the saves under way.
   *
   * @param text of the file, with its keys
   */
  noticed(text: string): Promise<void>
  /** A text of the past as a draft: with the keys that the file has now. @throws GatewayError as `check` */
  revive(text: string): Promise<RevivedText>
}

export interface ConfigurationParts extends FileParts {
  /** Puts the file in force, as `WatchedCatalogue` does. */
  reload: () => Promise<void>
  waitingForRestart: () => readonly string[]
  /** Keeps a text that came into force for the past. It does not throw. */
  keep: (text: string, made_by: Author, request_id?: string) => Promise<void>
  /** The catalogue in the database, where there may be one. */
  shared?: SharedPlace | undefined
  now: () => number
}

/** How long after a save the keys of the file before can be put back. */
const UNDONE_FOR_MS = 5 * 60_000

/** The catalogue whose file is at a path. Saves run one after the other. */
export function createConfiguration(parts: ConfigurationParts): Configuration {
  const { path, catalogue, keep, now } = parts
  let known: (Loaded & { of: Catalogue }) | undefined
  let replaced: { hidden: HiddenText; until_ms: number } | undefined
  const origins = new Map<string, Set<string>>()
  /** The text is read every time; what it says, only where it, the machine's file or the catalogue in force has changed. */
  const load = async (): Promise<Loaded> => {
    const placed = await readPlaced(path, parts.shared)
    const { text, state } = placed
    if (known?.state !== state || known.of !== catalogue()) {
      const hidden = hideSecrets(withoutMark(text), redactorFor(catalogue()))
      const masked = hidden && readToml(hidden.text)
      const values = masked?.ok ? masked.value : null
      noteOrigins(origins, hidden, parts.env)
      known = { ...placed, of: catalogue(), hidden, values, origins, ...readWith(parts, text, placed) }
    }
    return known
  }
  /** With the keys of the file before, for as long as they can come back. */
  const baseOf = (file: Loaded): Loaded => {
    const before = replaced && replaced.until_ms > now() ? replaced.hidden : undefined
    return { ...file, hidden: file.hidden && withSecretsOf(file.hidden, before) }
  }
  const inTurn = createQueue()

  return {
    path,
    async read() {
      const { hash, version, hidden, values, mistakes, warnings } = await load()
      return {
        path,
        hash,
        version: version ?? null,
        text: hidden?.text ?? null,
        values,
        mistakes: hideIn(parts, mistakes),
        warnings: hideIn(parts, warnings),
        waiting_for_restart: parts.waitingForRestart(),
      }
    },
    async check(draft) {
      const { raw: _, restored: __, ...checked } = await prepare(parts, baseOf(await load()), draft)
      const safe = hideSecrets(checked.text, redactorFor(checked.catalogue ?? catalogue()))
      return { ...checked, safe_text: safe?.text ?? null }
    },
    save: (draft, hash, made_by, request_id) =>
      inTurn(async () => {
        const file = await load()
        if (file.hash !== hash) throw changedMeanwhile(file.version === undefined ? 'file' : 'catalogue')
        const drafted = await prepareSave(parts, baseOf(file), draft)
        const { raw, warnings } = drafted
        const version = await write(parts, file, drafted, { made_by, request_id })
        replaced = file.hidden && { hidden: file.hidden, until_ms: now() + UNDONE_FOR_MS }
        await parts.reload()
        const waiting_for_restart = parts.waitingForRestart()
        return { hash: hashOf(Buffer.from(raw)), version, warnings, waiting_for_restart }
      }),
    noticed: (text) =>
      inTurn(async () => {
        const hidden = hideSecrets(withoutMark(text), redactorFor(catalogue()))
        if (hidden) await keep(hidden.text, 'file')
      }),
    async revive(text) {
      const { hidden, machine } = await load()
      return reviveText(machine ? withoutMachine(text).text : text, hidden)
    },
  }
}

/** Runs what it is given one after the other. */
function createQueue(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const done = last.then(work)
    // Dropped: its own caller is told about the failure, and the next one goes ahead.
    last = done.catch(() => {})
    return done
  }
}

/**
 * A draft that may be saved.
 *
 * @param base the text with what else a draft may bring back
 * @throws GatewayError as `Configuration.save`
 */
async function prepareSave(parts: ConfigurationParts, base: DraftBase, draft: Draft) {
  const { raw, restored, mistakes, warnings, catalogue: next } = await prepare(parts, base, draft)
  if (!next) throw refuseMistakes(mistakes)
  const masked = hideSecrets(restored, redactorFor(parts.catalogue()))
  if (!masked || !base.hidden || showsSecretOf(masked, base.hidden)) throw revealsKey()
  return { raw, restored, warnings, kept: hideSecrets(restored, redactorFor(next)) }
}

/**
 * Writes a draft where the text was loaded from.
 *
 * @returns its version in the database; null: it is in the file, and kept for the past
 * @throws GatewayError conflict, as `Configuration.save`
 */
async function write(
  { path, shared, keep, now }: ConfigurationParts,
  { hash, version }: Loaded,
  { raw, restored, kept }: Awaited<ReturnType<typeof prepareSave>>,
  { made_by, request_id }: Pick<NewVersion, 'made_by' | 'request_id'>,
): Promise<number | null> {
  if (shared && version !== undefined)
    return await shared.apply({ text: restored, made_at_ms: now(), made_by, request_id }, version)
  // Others' work went on meanwhile, and somebody may have saved the file in an editor.
  if (hashOf(await readFile(path)) !== hash) throw changedMeanwhile('file')
  await replaceFile(path, raw)
  if (kept) await keep(kept.text, made_by, request_id)
  return null
}

interface Loaded extends DraftBase, Placed {
  mistakes: Mistake[]
  warnings: Mistake[]
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

const revealsKey = () =>
  invalidRequest(
    'This would show a key that the file hides: keep hidden values where they are, or write the key anew.',
    { code: 'hidden_key_moved', param: 'text' },
  )

function refuseMistakes(mistakes: readonly Mistake[]) {
  const [{ path, line, message } = { path: '', line: 1, message: 'has a mistake' }] = mistakes
  const count = mistakes.length
  const others = count <= 1 ? '' : ` The file has ${counted(count - 1, 'other mistake')}.`
  return unprocessable(
    `Line ${line}: ${path === '' ? 'the file' : path} ${message}.${others} Nothing was saved.`,
    { code: 'configuration_mistakes', param: path === '' ? 'text' : path },
  )
}
