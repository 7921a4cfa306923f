// The catalogue file's text as it is shown: without its secrets, which are put back when it is saved.
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

/** A text with its secrets, and without. */
export interface HiddenText {
  /** The readable text. It has as many lines, unless a secret was written over several. */
  text: string
  secrets: readonly WrittenSecret[]
  /** Comments that are hidden whole, by what is shown of them. */
  comments: ReadonlyMap<string, string>
  /** Lines that were changed beside the providers' values, by what is shown of them: comments, most of all. */
  lines: ReadonlyMap<string, readonly string[]>
  /** The environment variables that providers use. */
  variables: readonly VariableUse[]
  /** The texts that were readable beside the secrets, outside of the hidden parts of providers: as `readableIn`. */
  readable: ReadonlySet<string>
}

/**
 * Hides what is secret: the providers' keys and headers, unless they name an environment variable, with the comments on their
 * lines; what looks like one in other comments; and whatever the redactor knows.
 *
 * @returns undefined if the text is no TOML: then nobody knows where its secrets are
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

/** A text that also knows what another one hid: drafts of it may have that back. */
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
  /** The values of the text, its secrets still hidden; undefined if it is not TOML. */
  values: TomlTable | undefined
  /** The environment variables that it uses. */
  variables: readonly VariableUse[]
  mistakes: Mistake[]
}

/** The addresses that environment variables go to, by their names; of others it is not known. */
export type KnownOrigins = ReadonlyMap<string, ReadonlySet<string>>

/**
 * Puts the secrets of a file back into a changed text. A key goes to the address that it was written for, and to no other:
 * whoever can change the file must not learn the keys in it by having them sent elsewhere, or put where they are shown.
 *
 * @param masked the changed text @param original what was hidden @param known the same of keys in the environment
 * @returns the text with its secrets, and a mistake for each that could not be put back
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
  // Nothing is put into what is no TOML: its messages may repeat it.
  if (!places || !drafted) return { text: masked, values: drafted?.value, variables: [], mistakes }
  const variables = variablesIn(places)
  const laid_open = text === masked ? [] : revealedTexts(places, drafted, original)
  if (laid_open.length > 0)
    return { text: masked, values: drafted.value, variables, mistakes: [...mistakes, ...laid_open] }
  const { replacements, missing } = restoreValues(places, original)
  const comments = restoreComments(places, original)
  return {
    text: spliced(text, [...replacements, ...comments.replacements]),
    values: drafted.value,
    variables,
    mistakes: [...mistakes, ...missing, ...comments.misplaced, ...redirectedVariables(variables, known)],
  }
}

/** The marks that have their secrets back, and those whose secret was not found here. */
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

/** Comments that still stand with a secret, on a line that was changed otherwise; elsewhere they would be shown. */
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

/** Texts that are readable only since lines with hidden texts were put back: they were moved out of their comments. */
function revealedTexts(places: Places, drafted: Places, { readable }: HiddenText): Mistake[] {
  const written = new Set(readableIn(drafted).map(({ text }) => text))
  return readableIn(places)
    .filter(({ text }) => !written.has(text) && !readable.has(text))
    .map(({ line }) => ({ path: '', line, message: CHANGED_LINE }))
}

/** Keys of the environment that would be sent elsewhere than they are by now. */
const redirectedVariables = (variables: readonly VariableUse[], known: KnownOrigins): Mistake[] =>
  variables.flatMap(({ path, line, variable, origin }) => {
    const origins = known.get(variable)
    if (!origins || origins.has(origin)) return []
    const message = `must be another variable, or the key itself: ${variable} is only sent to ${[...origins].join(' and ')}. To send it elsewhere, change the catalogue on the server`
    return [{ path: writePath(path), line, message }]
  })

/** The names and texts that nobody hides, each with the name that it stands under. */
function readableIn({ written }: Places): { line: number; text: string }[] {
  return written.map(({ path, node }) => {
    const name = path.findLast((part) => typeof part === 'string')
    const value = node.type === 'TOMLValue' && isReadable(path) ? node.value : ''
    const text = `${name}\n${typeof value === 'string' ? value : ''}`
    return { line: node.loc.start.line, text }
  })
}

const CHANGED_LINE = 'has a text that is hidden: take the line back as it was, or write that text anew'
const UNKNOWN = 'must be the key itself, or "env:NAME": no key of the file is hidden under this mark'
const ELSEWHERE = 'must be written anew: the hidden key is only sent to the address that it was written for'

/** Shorter ones are placeholders, and common words. */
const MIN_SECRET_CHARS = 8

/** Whether what is shown of a text has secrets that another one hid. */
export const showsSecretOf = ({ text }: HiddenText, { secrets, lines }: HiddenText): boolean =>
  secrets.some(({ secret }) => secret.length >= MIN_SECRET_CHARS && text.includes(secret)) ||
  [...lines.values()].flat().some((line) => line.trim() !== '' && text.split('\n').includes(line))

/** The places of a text; undefined if it is no TOML. */
export function readPlaces(text: string): Places | undefined {
  try {
    return placesOf(text)
  } catch (thrown) {
    if (thrown instanceof ParseError) return undefined
    throw thrown
  }
}
