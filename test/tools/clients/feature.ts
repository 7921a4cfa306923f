// The features that real clients are tested for, and the rules by which a client counts as served.
import type { Call } from '../../../src/store/schema.ts'

export const FEATURES = ['text', 'stream', 'tools', 'image', 'schema', 'errors'] as const
export type Feature = (typeof FEATURES)[number]

/** A client's settings: only the base address, a key and a model differ from its ordinary use. */
export interface Connection {
  /** Without a path, and without a slash at the end. */
  readonly url: string
  readonly key: string
  readonly model: string
}

/** The observations of a client's program, in terms common to all clients; programs in other languages print them as JSON. */
export interface Observation {
  /** The text of the last answer. */
  readonly text?: string
  /** The number of pieces of the text. */
  readonly pieces?: number
  /** Arguments of the tool's calls, in order. */
  readonly called?: readonly string[]
  /** The answer as the client has parsed it by the schema. */
  readonly json?: unknown
  /** The client's error or output for a wrong key. */
  readonly wrong_key?: string
  /** The same for an unknown model. */
  readonly unknown_model?: string
}

/** The gateway's records of the run. */
export interface Evidence {
  readonly calls: readonly Pick<Call, 'outcome' | 'streamed' | 'input_tokens'>[]
  /** The number of tool calls before the answer. */
  readonly tool_calls: number
  /** Whether the provider got the image; undefined if that was not checked. */
  readonly image_arrived?: boolean
}

export const WRONG_KEY = 'tg_wrong00_this-is-no-key'
export const UNKNOWN_MODEL = 'no-such-model'
/** The words of a tool's result, which an answer must repeat. */
export const WEATHER = 'twelve degrees'

const KEY_ERROR = /401|authenticat|unauthori[sz]ed|api[ _]?key/i
const MODEL_ERROR = /404|not[ _]?found|does not exist|no such model|issue with the selected model/i

type Judge = (observation: Observation, evidence: Evidence) => boolean
const hasWords = ({ text = '' }: Observation): boolean => /\w{3}/.test(text)
const completed = ({ calls }: Evidence, count = 1): boolean =>
  calls.filter(({ outcome }) => outcome === 'completed').length >= count

/** The rules for each feature, by their words in a failure. */
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
    'the answer matches the schema': ({ json }) => {
      const { city, days } = (json ?? {}) as { city?: unknown; days?: unknown }
      return typeof city === 'string' && Number.isInteger(days)
    },
  },
  errors: {
    'a wrong key is reported as one': ({ wrong_key }) => KEY_ERROR.test(wrong_key ?? ''),
    'an unknown model is reported as one': ({ unknown_model }) => MODEL_ERROR.test(unknown_model ?? ''),
    'neither is charged': (_, { calls }) => !calls.some(({ outcome }) => outcome === 'completed'),
  },
}

/** @returns the broken rules; empty if the client is served */
export const findFaults = (feature: Feature, observation: Observation, evidence: Evidence): string[] =>
  Object.entries(RULES[feature])
    .filter(([, holds]) => !holds(observation, evidence))
    .map(([rule]) => `broken: ${rule}`)
