// The catalogue's text without its secrets, for display, and the restoration of the secrets in a changed text.
import { ParseError } from 'toml-eslint-parser'
import { HIDDEN, type Redactor } from '../observe/redact.ts'
import { type Mistake, writePath } from './mistakes.ts'
import { commentsOfSecrets, hiddenInComments, isMaskComment } from './secret-comments.ts'
import {
  destinationOf,
  isMask,
  isReadable,
  secretsIn,
  type VariableUse,
  variablesIn,
  type WrittenSecret,
} from './secret-places.ts'
import type { TomlTable } from './toml.ts'
import { type Splice, spliced } from './toml-lines.ts'
import { type Places, placesOf } from './toml-places.ts'

/** A text without secrets, and the secrets. */
export interface HiddenText {
  /** The text without secrets. It has as many lines as the original, unless a secret spans several. */
  text: string
  secrets: readonly WrittenSecret[]
  /** Wholly hidden comments by their masks. */
  comments: ReadonlyMap<string, string>
  /** Original lines with other hidden parts, mostly in comments, by their displayed form. */
  lines: ReadonlyMap<string, readonly string[]>
  /** The environment variables that providers use. */
  variables: readonly VariableUse[]
  /** The readable names and values of the original, as `readableIn`. */
  readable: ReadonlySet<string>
}

/**
 * Hides secrets: the providers' keys and headers, unless they name an environment variable, with the comments on their
 * lines; text in other comments that looks like a key; and everything that the redactor knows.
 *
 * @returns undefined if the text is no TOML, since its secrets cannot be found then
 */
export function hideSecrets(text: string, redactor: Redactor): HiddenText | undefined {
  const places = readPlaces(text)
  if (!places) return undefined
  const secrets = secretsIn(places)
  const marks = secrets.map(({ span, mask }): Splice => [...span, JSON.stringify(mask)])
  const before = spliced(text, marks).split('\n')
  const whole = commentsOfSecrets(places)
  const in_comments = [
    ...whole.map(({ range, mask }): Splice => [...range, mask]),
    ...hiddenInComments(places, new Set(whole.map(({ range }) => range[0]))),
  ]
  const hidden = spliced(text, [...marks, ...in_comments]).split('\n')
  const after = hidden.map((line) => redactor.hide(line))
  const lines = new Map<string, string[]>()
  after.forEach((line, at) => {
    const own = before[at] ?? ''
    if (line !== own) lines.set(line, [...(lines.get(line) ?? []), own])
  })
  const readable = new Set(lines.size === 0 ? [] : readableIn(places).map(({ text }) => text))
  const comments = new Map(whole.map(({ mask, written }) => [mask, written]))
  return { text: after.join('\n'), secrets, comments, lines, variables: variablesIn(places), readable }
}

/** Adds the secrets of another text, so that drafts may restore them, too. */
export function withSecretsOf(own: HiddenText, other: HiddenText | undefined): HiddenText {
  if (!other) return own
  return {
    ...own,
    secrets: [...own.secrets, ...other.secrets],
    comments: new Map([...other.comments, ...own.comments]),
    lines: new Map([...other.lines, ...own.lines]),
    readable: own.readable.union(other.readable),
  }
}

interface Restored {
  text: string
  /** The values of the text, with secrets still hidden; undefined if it is no TOML. */
  values: TomlTable | undefined
  /** The environment variables in it. */
  variables: readonly VariableUse[]
  mistakes: Mistake[]
}

/** The addresses that environment variables are sent to, by variable. */
export type KnownOrigins = ReadonlyMap<string, ReadonlySet<string>>

/**
 * Restores the secrets of a text in a changed text. A key is restored only for the address that it was written for, so that a person
 * who may change the text cannot learn its keys by having them sent elsewhere, or moved to a readable place.
 *
 * @param masked the changed text @param original the hidden secrets @param known the addresses of keys in the environment
 * @returns the text with its secrets, and a mistake for each one that could not be restored
 */
export function restoreSecrets(
  masked: string,
  original: HiddenText,
  known: KnownOrigins = new Map(),
): Restored {
  const waiting = new Map([...original.lines].map(([line, own]) => [line, [...own]]))
  const lines = masked.split('\n').map((line) => waiting.get(line)?.shift() ?? line)
  const text = lines.join('\n')
  const mistakes: Mistake[] = lines.flatMap((line, at) =>
    line.includes(HIDDEN) && original.lines.size > 0
      ? [{ path: '', line: at + 1, message: CHANGED_LINE }]
      : [],
  )
  const places = readPlaces(text)
  const drafted = text === masked ? places : readPlaces(masked)
  // Nothing is restored in a text that is no TOML, since error messages may quote it.
  if (!places || !drafted) return { text: masked, values: drafted?.value, variables: [], mistakes }
  const variables = variablesIn(places)
  const revealed = text === masked ? [] : revealedTexts(places, drafted, original)
  if (revealed.length > 0)
    return { text: masked, values: drafted.value, variables, mistakes: [...mistakes, ...revealed] }
  const { replacements, missing } = restoreValues(places, original)
  const comments = restoreComments(places, original)
  return {
    text: spliced(text, [...replacements, ...comments.replacements]),
    values: drafted.value,
    variables,
    mistakes: [...mistakes, ...missing, ...comments.misplaced, ...redirectedVariables(variables, known)],
  }
}

/** Returns the restored marks, and mistakes for marks without a secret for this place. */
function restoreValues(places: Places, { secrets }: HiddenText) {
  const replacements: Splice[] = []
  const missing: Mistake[] = []
  for (const { path, node } of places.written) {
    if (node.type !== 'TOMLValue' || typeof node.value !== 'string' || !isMask(node.value)) continue
    const of_mark = secrets.filter(({ mask }) => mask === node.value)
    const origin = isReadable(path) ? undefined : destinationOf(path, places.value)
    const found = of_mark.find((secret) => secret.origin === origin)
    if (found) replacements.push([...node.range, found.written])
    else {
      const message = of_mark.length === 0 ? UNKNOWN : ELSEWHERE
      missing.push({ path: writePath(path), line: node.loc.start.line, message })
    }
  }
  return { replacements, missing }
}

/** Restores comments that are still on a line with a secret. In other places they would become readable, which is a mistake. */
function restoreComments(places: Places, { comments }: HiddenText) {
  const hidden = new Set(commentsOfSecrets(places).map(({ range }) => range[0]))
  const marks = places.comments.flatMap(({ range, loc }) => {
    const comment = places.text.slice(...range)
    const written = isMaskComment(comment) ? comments.get(comment) : undefined
    return written === undefined ? [] : [{ range, written, line: loc.start.line }]
  })
  const stays = ({ range }: (typeof marks)[number]) => hidden.has(range[0])
  return {
    replacements: marks.filter(stays).map(({ range, written }): Splice => [...range, written]),
    misplaced: marks
      .filter((mark) => !stays(mark))
      .map(({ line }): Mistake => ({ path: '', line, message: CHANGED_LINE })),
  }
}

/** Returns mistakes for texts that only became readable by restoring lines, because they were moved out of their comments. */
function revealedTexts(places: Places, drafted: Places, { readable }: HiddenText): Mistake[] {
  const written = new Set(readableIn(drafted).map(({ text }) => text))
  return readableIn(places)
    .filter(({ text }) => !written.has(text) && !readable.has(text))
    .map(({ line }) => ({ path: '', line, message: CHANGED_LINE }))
}

/** Returns mistakes for environment variables that would be sent to a new address. */
const redirectedVariables = (variables: readonly VariableUse[], known: KnownOrigins): Mistake[] =>
  variables.flatMap(({ path, line, variable, origin }) => {
    const origins = known.get(variable)
    if (!origins || origins.has(origin)) return []
    const message = `must be another variable, or the key itself: ${variable} is only sent to ${[...origins].join(' and ')}. To send it elsewhere, change the catalogue on the server`
    return [{ path: writePath(path), line, message }]
  })

/** Returns the readable values, each with its name. */
function readableIn({ written }: Places): { line: number; text: string }[] {
  return written.map(({ path, node }) => {
    const name = path.findLast((part) => typeof part === 'string')
    const value = node.type === 'TOMLValue' && isReadable(path) ? node.value : ''
    const text = `${name}\n${typeof value === 'string' ? value : ''}`
    return { line: node.loc.start.line, text }
  })
}

const CHANGED_LINE = 'contains a hidden text: restore the line as it was, or enter that text again'
const UNKNOWN = 'must be the key itself, or "env:NAME": no key of the file is hidden under this mark'
const ELSEWHERE = 'must be entered again: the hidden key is only sent to the address that it was entered for'

/** Shorter values are placeholders or common words. */
const MIN_SECRET_CHARS = 8

/** Whether the displayed form of a text contains secrets that another one hides. */
export const showsSecretOf = ({ text }: HiddenText, { secrets, lines }: HiddenText): boolean =>
  secrets.some(({ secret }) => secret.length >= MIN_SECRET_CHARS && text.includes(secret)) ||
  [...lines.values()].flat().some((line) => line.trim() !== '' && text.split('\n').includes(line))

/** Parses a text with positions; undefined if it is no TOML. */
export function readPlaces(text: string): Places | undefined {
  try {
    return placesOf(text)
  } catch (thrown) {
    if (thrown instanceof ParseError) return undefined
    throw thrown
  }
}
