// The grammar of model names, which set the behaviour of a simulated provider.

/**
 * A name is a base, then behaviours in any order: `flash-slow-1500-events-200`, `pro-fail-429`. The base is everything
 * before the first behaviour, so that `gemini-2.5-flash-break-3` works too. A model whose base contains `lite` does not
 * think; one whose base contains `image` draws.
 *
 * | behaviour | what the provider does |
 * |---|---|
 * | `fail-N` | refuses with HTTP status N, in its own error shape |
 * | `html-N` | refuses with status N and an HTML page that contains an address |
 * | `leak-N` | refuses with status N and a message that contains a URL, a host and API keys |
 * | `refuse` | refuses the connection: `fetch` throws a TypeError (in-process only) |
 * | `hang` | never answers; waits until the caller aborts |
 * | `slow-N` | waits N ms before the first byte (5) |
 * | `pace-N` | waits N ms between the events of a stream (2) |
 * | `events-N` | streams N events, within the output limit |
 * | `tokens-N` | writes N tokens of text, within the output limit |
 * | `calls-N` | calls a function in each of N turns, for one file after another that the prompt names, and then answers |
 * | `break-N` | breaks the connection after N events; of a whole answer, after half of it |
 * | `error-N` | sends an error record after N events of a stream, and ends |
 * | `stall-N` | sends nothing more after N events of a stream, until the caller aborts |
 * | `truncate` | ends without an error, but with the last JSON cut in half |
 * | `nousage` | reports no usage |
 * | `zerousage` | reports a usage of zeros |
 * | `cache` | reports half of the prompt as read from a cache |
 * | `block` | blocks the prompt (so does a prompt with `SIMULATE_BLOCK` in it) |
 * | `safety` | stops in the middle of the answer, for safety |
 */
export interface Behaviour extends Settings {
  readonly base: string
  readonly thinks: boolean
  readonly draws: boolean
}

type Settings = Readonly<
  Record<FlagWord, boolean> & Record<NumberWord, number | undefined> & Record<'slow' | 'pace', number>
>

const NUMBERS = {
  fail: undefined,
  html: undefined,
  leak: undefined,
  slow: 5,
  pace: 2,
  events: undefined,
  tokens: undefined,
  calls: undefined,
  break: undefined,
  error: undefined,
  stall: undefined,
}

const FLAGS = {
  refuse: false,
  hang: false,
  truncate: false,
  nousage: false,
  zerousage: false,
  cache: false,
  block: false,
  safety: false,
}

type FlagWord = keyof typeof FLAGS
type NumberWord = keyof typeof NUMBERS

const isNumber = (word: string): word is NumberWord => Object.hasOwn(NUMBERS, word)
const isFlag = (word: string): word is FlagWord => Object.hasOwn(FLAGS, word)
const isBehaviour = (word: string): boolean => isNumber(word) || isFlag(word)

/**
 * Reads a model's name.
 *
 * @returns undefined for a name outside the grammar, which is a model that the provider does not have
 */
export function parseBehaviour(model: string): Behaviour | undefined {
  const words = model.split('-')
  const first = words.findIndex(isBehaviour)
  const base = (first < 0 ? words : words.slice(0, first)).join('-')
  const settings = readSettings(first < 0 ? [] : words.slice(first))
  if (base === '' || settings === undefined) return undefined
  return { ...settings, base, thinks: !/lite|image/.test(base), draws: base.includes('image') }
}

function readSettings(words: readonly string[]): Settings | undefined {
  let settings: Settings = { ...NUMBERS, ...FLAGS }
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? ''
    if (isFlag(word)) {
      settings = { ...settings, [word]: true }
    } else {
      const number = words[++at] ?? ''
      if (!isNumber(word) || !/^\d{1,7}$/.test(number)) return undefined
      settings = { ...settings, [word]: Number(number) }
    }
  }
  return settings
}

/** The number of events that a stream needs for its behaviour to show. */
export function minEvents(behaviour: Behaviour): number {
  const after = Math.max(behaviour.break ?? -1, behaviour.error ?? -1, behaviour.stall ?? -1)
  return Math.max(behaviour.events ?? 0, after + 1)
}
