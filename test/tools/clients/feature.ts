// What is asked of every real client, and when a client counts as served.
import type { Call } from '../../../src/store/schema.ts'

export const FEATURES = ['text', 'stream', 'tools', 'image', 'schema', 'errors'] as const
export type Feature = (typeof FEATURES)[number]

/** What a client is told: nothing but the base address, a key and a model differs from its ordinary use. */
export interface Connection {
  /** Without a path, and without a slash at the end. */
  readonly url: string
  readonly key: string
  readonly model: string
}

/** What a client's program got to see, in the terms of no client; programs of other languages print it as JSON. */
export interface Shown {
  /** The text of the last answer. */
  readonly text?: string
  /** In how many pieces the text came. */
  readonly pieces?: number
  /** Arguments of the tool's calls, in order. */
  readonly called?: readonly string[]
  /** The answer, as the client has read it by the schema. */
  readonly json?: unknown
  /** What the client throws or prints for a wrong key. */
  readonly wrong_key?: string
  /** The same for a model that does not exist. */
  readonly unknown_model?: string
}

/** What the gateway recorded meanwhile. */
export interface Evidence {
  readonly calls: readonly Pick<Call, 'outcome' | 'streamed' | 'input_tokens'>[]
  /** How often a tool is called before the answer comes. */
  readonly tool_calls: number
  /** Whether the provider got the image; undefined where nobody looked. */
  readonly image_arrived?: boolean
}

export const WRONG_KEY = 'tg_wrong00_this-is-no-key'
export const UNKNOWN_MODEL = 'no-such-model'
/** The words that a tool's result consists of, and that an answer must repeat. */
export const WEATHER = 'twelve degrees'

const SAYS_KEY = /401|authenticat|unauthori[sz]ed|api[ _]?key/i
const SAYS_MODEL = /404|not[ _]?found|does not exist|no such model|issue with the selected model/i

type Judge = (shown: Shown, evidence: Evidence) => boolean
const hasWords = ({ text = '' }: Shown): boolean => /\w{3}/.test(text)
const completed = ({ calls }: Evidence, count = 1): boolean =>
  calls.filter(({ outcome }) => outcome === 'completed').length >= count

/** What must be so, in words that a failure shows. */
const RULES: Readonly<Record<Feature, Readonly<Record<string, Judge>>>> = {
  text: {
    'the answer has words': hasWords,
    'a completed call is recorded': (_, evidence) => completed(evidence),
  },
  stream: {
    'the answer has words': hasWords,
    'they came in several pieces': ({ pieces }) => pieces === undefined || pieces > 1,
    'the call was a stream': (_, { calls }) => calls.some(({ streamed }) => streamed === 1),
  },
  tools: {
    'the tool was called as often as the provider asked': ({ called }, { tool_calls }) =>
      called?.length === tool_calls,
    'its results are in the answer': ({ text }) => text?.includes(WEATHER) === true,
    'each turn is recorded': (_, evidence) => completed(evidence, evidence.tool_calls + 1),
  },
  image: {
    'the answer has words': hasWords,
    'the image reached the provider': (_, { image_arrived }) => image_arrived !== false,
  },
  schema: {
    'the answer is what the schema says': ({ json }) => {
      const { city, days } = (json ?? {}) as { city?: unknown; days?: unknown }
      return typeof city === 'string' && Number.isInteger(days)
    },
  },
  errors: {
    'a wrong key is told as one': ({ wrong_key }) => SAYS_KEY.test(wrong_key ?? ''),
    'an unknown model is told as one': ({ unknown_model }) => SAYS_MODEL.test(unknown_model ?? ''),
    'neither is charged': (_, { calls }) => !calls.some(({ outcome }) => outcome === 'completed'),
  },
}

/** @returns what is not as it must be; nothing where the client is served */
export const complaints = (feature: Feature, shown: Shown, evidence: Evidence): string[] =>
  Object.entries(RULES[feature])
    .filter(([, holds]) => !holds(shown, evidence))
    .map(([rule]) => `not so: ${rule}`)
