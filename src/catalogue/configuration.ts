// Reads and saves of the catalogue text, in its file or in the database: secrets are hidden, and a save must be based on the current version.

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
  /** The hash of the text's bytes. A save must name the hash that its draft is based on. */
  hash: string
  /** The version of the text in the database; null if the text is in the file. */
  version: number | null
  /** Without secrets; null if the file is no TOML, since its secrets cannot be recognised then. */
  text: string | null
  /** The parsed text; null if there is no text. */
  values: TomlTable | null
  mistakes: Mistake[]
  warnings: Mistake[]
  /** Settings that differ from those at the start of the process, and need a restart. */
  waiting_for_restart: readonly string[]
}

export interface SavedConfiguration {
  hash: string
  /** The version in the database; null if the file was written. */
  version: number | null
  warnings: Mistake[]
  waiting_for_restart: readonly string[]
}

export interface Configuration {
  readonly path: string
  /** @throws the file system's error if the file cannot be read */
  read(): Promise<ConfigurationFile>
  /**
   * @returns also `safe_text`: the draft without any key, including new ones; null if it is no TOML
   * @throws GatewayError invalid_request for edits of a text that is no TOML, or at paths that it does not have
   */
  check(draft: Draft): Promise<CheckedDraft & { safe_text: string | null }>
  /**
   * Replaces the whole file, with the same owner and mode, brings it into force, and stores its text in the history. If the
   * catalogue is in the database, it brings the draft into force there, for all gateways. For some minutes a draft may restore keys of
   * the previous text, so that a save can be undone.
   *
   * @param hash of the text that the draft is based on
   * @param request_id of the console's request, for the audit log
   * @throws GatewayError conflict if the text has changed since; unprocessable with the first mistake, with nothing
   * changed
   */
  save(draft: Draft, hash: string, made_by: Author, request_id?: string): Promise<SavedConfiguration>
  /**
   * Stores a text that is in force in the history, after running saves.
   *
   * @param text of the file, with its keys
   */
  noticed(text: string): Promise<void>
  /** Returns a text of the history as a draft, with the current keys. @throws GatewayError as `check` */
  revive(text: string): Promise<RevivedText>
}

export interface ConfigurationParts extends FileParts {
  /** Brings the file into force, as `WatchedCatalogue.reload`. */
  reload: () => Promise<void>
  waitingForRestart: () => readonly string[]
  /** Stores a text that came into force in the history. It does not throw. */
  keep: (text: string, made_by: Author, request_id?: string) => Promise<void>
  /** The place of the catalogue in the database, if there may be one. */
  shared?: SharedPlace | undefined
  now: () => number
}

/** The time after a save in which keys of the previous text can be restored. */
const UNDONE_FOR_MS = 5 * 60_000

/** Creates the configuration of a catalogue file. Saves run one after the other. */
export function createConfiguration(parts: ConfigurationParts): Configuration {
  const { path, catalogue, keep, now } = parts
  let known: (Loaded & { of: Catalogue }) | undefined
  let previous: { hidden: HiddenText; until_ms: number } | undefined
  const origins = new Map<string, Set<string>>()
  /** Reads the text each time, but parses it only if it, the machine's file or the catalogue in force has changed. */
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
  /** Adds the keys of the previous text, while they can be restored. */
  const baseOf = (file: Loaded): Loaded => {
    const before = previous && previous.until_ms > now() ? previous.hidden : undefined
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
        previous = file.hidden && { hidden: file.hidden, until_ms: now() + UNDONE_FOR_MS }
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

/** Runs tasks one after the other. */
function createQueue(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const done = last.then(work)
    // Dropped: the task's caller receives the failure, and the next task runs.
    last = done.catch(() => {})
    return done
  }
}

/**
 * Checks a draft and prepares its text for saving.
 *
 * @param base the text, with further secrets that the draft may restore
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
 * Writes a draft to the place of the loaded text.
 *
 * @returns its version in the database; null if it was written to the file, and stored in the history
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
  // The file may have been saved in an editor in the meantime.
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
 * Records the addresses that set variables are sent to. They stay recorded after the text changes, so that a variable cannot be
 * redirected by removing it and adding it again.
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
