// The choice of functions that an answer calls: those that the prompt names, otherwise the one that fits the requested action.
import type { Ask, FunctionDeclaration } from './ask.ts'

/** Calls nothing after results of functions, so that an agent's loop ends. */
export function chooseFunctions({
  functions,
  calling,
  results,
  last_text,
  parallel,
}: Pick<
  Ask,
  'functions' | 'calling' | 'results' | 'last_text' | 'parallel'
>): readonly FunctionDeclaration[] {
  const [first] = functions
  if (first === undefined || calling === 'none' || results.length > 0) return []
  const text = withoutAsides(last_text.slice(0, MAX_READ_CHARS))
  const named = functions.slice(0, MAX_FUNCTIONS).filter(({ name }) => text.includes(name))
  if (named.length > 0) return named.slice(0, parallel ? MAX_CALLED : 1)
  const fitting = functionFor(text.toLowerCase(), functions)
  if (fitting) return [fitting]
  return calling === 'any' ? [first] : []
}

const NAME = /[\w./-]+/g
/** Safe in a shell's command, and not an option. */
const FILE = /^[\w/][\w./-]*\.[a-z]{1,5}$/i

/** The names of files in a text, in order. */
export const filesIn = (text: string): string[] =>
  (withoutAsides(text.slice(0, MAX_READ_CHARS)).match(NAME) ?? [])
    .map((name) => name.replace(/\.$/, ''))
    .filter((name) => FILE.test(name))

/** The simulator runs beside paid calls, and a request may have any length: the text is searched for each function. */
const MAX_READ_CHARS = 100_000
const MAX_FUNCTIONS = 1_000
const MAX_CALLED = 20

const TAG = /<(\/?)([a-z][\w-]*)>/g

/** The text without the tags that agents add to their user's words: `<system-reminder>…</system-reminder>`. */
function withoutAsides(text: string): string {
  const tags = [...text.matchAll(TAG)].map(({ 0: tag, 1: slash, 2: name = '', index }) => ({
    name,
    ends: slash === '/',
    start: index,
    end: index + tag.length,
  }))
  const last_ends = new Map(tags.filter(({ ends }) => ends).map(({ name, start }) => [name, start]))
  let kept = ''
  let at = 0
  let open: string | undefined
  for (const { name, ends, start, end } of tags) {
    if (open === undefined && !ends && (last_ends.get(name) ?? 0) > start) {
      kept += `${text.slice(at, start)} `
      open = name
    } else if (ends && open === name) {
      open = undefined
      at = end
    }
  }
  return kept + text.slice(at)
}

/** Verbs of prompts, and the beginnings of the names of fitting functions. */
const ACTIONS: readonly (readonly [verb: RegExp, names: RegExp])[] = [
  [/\b(?:list|what files)\b/, /^(?:ls|list|glob)/],
  [/\b(?:read|open|show|view|print)\b/, /^(?:read(?!_mcp)|view(?!_image)|open|cat|fetch)/],
  [/\b(?:find|search|look for|look up|grep)\b/, /^(?:search|grep|find|lookup|query|web_?search)/],
  [/\b(?:write|create|save)\b/, /^(?:write|create|save)/],
  [
    /\b(?:edit|change|fix|replace|update|rename)\b/,
    /^(?:edit|apply_?patch|str_?replace|replace|update_?file)/,
  ],
  [/\b(?:delete|remove)\b/, /^(?:delete|remove)/],
  [/\b(?:calculate|compute)\b/, /^(?:calc|compute|math)/],
  [/\b(?:draw|paint|sketch|make it)\b/, /^(?:draw|paint|image|create_image|generate_image)/],
  [/\b(?:send|mail)\b/, /^(?:send|mail)/],
  [/\b(?:run|execute|build|install|compile)\b/, /^(?:run|exec|build|install)/],
]

/** A shell serves prompts about files and programs that no other function fits. */
const SHELL = /^(?:bash|shell|local_shell|exec|run_?(?:shell|terminal|command)|terminal|command)/
/** A prompt that mentions commands means a shell. */
const WANTS_SHELL = /\b(?:shell|terminal|bash)\b|\brun\b.*\bcommands?\b/
const ABOUT_A_MACHINE =
  /\b(?:files?|folders?|director(?:y|ies)|command|script|tests?|program|repo(?:sitory)?)\b/

/** Words of names without a meaning of their own. */
const GENERIC = new Set([
  'get',
  'set',
  'the',
  'and',
  'for',
  'tool',
  'function',
  'call',
  'use',
  'run',
  'mcp',
  'current',
])

function functionFor(
  text: string,
  functions: readonly FunctionDeclaration[],
): FunctionDeclaration | undefined {
  const words = new Set((text.match(/\p{L}+/gu) ?? []).map(singular))
  const verbs = ACTIONS.filter(([verb]) => verb.test(text))
  const by = (fits: (name: string) => boolean) => functions.find(({ name }) => fits(name.toLowerCase()))
  return (
    (WANTS_SHELL.test(text) ? by((name) => SHELL.test(name)) : undefined) ??
    by((name) => verbs.some(([, names]) => names.test(name))) ??
    functions.find(({ name }) => nounsOf(name).some((noun) => words.has(noun))) ??
    (verbs.length > 0 && ABOUT_A_MACHINE.test(text) ? by((name) => SHELL.test(name)) : undefined)
  )
}

/** `get_weather`, `getWeather`: weather. Verbs are left out: `TodoWrite` is not for every text that is to be written. */
const nounsOf = (name: string): string[] =>
  (name.match(/\p{Lu}?\p{Ll}+|\p{Lu}+/gu) ?? [])
    .map((word) => singular(word.toLowerCase()))
    .filter((word) => word.length > 2 && !GENERIC.has(word) && !ACTIONS.some(([verb]) => verb.test(word)))

const singular = (word: string): string => (word.length > 3 ? word.replace(/s$/, '') : word)
