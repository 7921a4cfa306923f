// Usage that a stream reports early, often or twice: silent.md, Usage that is billed: "A usage that a stream told before half of its output".
import { describe, expect, test } from 'bun:test'
import { gemini } from '../../src/protocols/gemini/index.ts'
import { openai } from '../../src/protocols/openai/index.ts'
import { toByteString } from '../../src/protocols/wire/byte-string.ts'

/** Prompt and output tokens of a usage; undefined for one without counts. */
type Counts = readonly [prompt: number, output: number] | undefined
interface Event {
  text?: string
  usage?: Counts | null
}

const FORMS = {
  openai: {
    protocol: openai,
    write: ({ text, usage }: Event) => ({
      choices: text === undefined ? [] : [{ index: 0, delta: { content: text } }],
      ...(usage === null ? { usage } : {}),
      ...(usage ? { usage: { prompt_tokens: usage[0], completion_tokens: usage[1] } } : {}),
    }),
    without_counts: { choices: [], usage: {} },
  },
  gemini: {
    protocol: gemini,
    write: ({ text, usage }: Event) => ({
      ...(text === undefined ? {} : { candidates: [{ content: { parts: [{ text }] } }] }),
      ...(usage === null ? { usageMetadata: usage } : {}),
      ...(usage ? { usageMetadata: { promptTokenCount: usage[0], candidatesTokenCount: usage[1] } } : {}),
    }),
    without_counts: { usageMetadata: { trafficType: 'ON_DEMAND' } },
  },
} as const

const TEXT = { text: 'Some words of an answer.' }
const ABSENT = 'unknown'

const CASES: readonly (readonly [string, readonly (Event | 'without counts')[], unknown])[] = [
  ['zeros at first alone', [{ usage: [0, 0] }, TEXT, TEXT], ABSENT],
  ['zeros with the first words alone', [{ ...TEXT, usage: [0, 0] }, TEXT, TEXT], ABSENT],
  ['zeros at first, counts at last', [{ usage: [0, 0] }, TEXT, { usage: [7, 3] }], [7, 3]],
  ['zeros at last', [TEXT, TEXT, { usage: [0, 0] }], [0, 0]],
  ['zeros, and no output', [{ usage: [0, 0] }], [0, 0]],
  ['the prompt alone, at first', [{ usage: [7, 0] }, TEXT], [7, undefined]],
  ['the first token alone', [{ ...TEXT, usage: [7, 1] }, TEXT, TEXT], [7, undefined]],
  ['counts in every event', [1, 2, 3].map((count) => ({ ...TEXT, usage: [7, count] as const })), [7, 3]],
  ['counts in every event but the last', [{ ...TEXT, usage: [7, 4] }, TEXT], [7, 4]],
  ['counts, then null', [TEXT, { usage: [7, 3] }, { usage: null }], [7, 3]],
  ['counts, then a usage without any', [TEXT, { usage: [7, 3] }, 'without counts'], [7, 3]],
  ['counts, then zeros', [TEXT, { usage: [7, 3] }, { usage: [0, 0] }], [7, 3]],
  ['the prompt, then zeros', [{ usage: [7, 0] }, TEXT, { usage: [0, 0] }], [7, undefined]],
  ['null alone', [{ ...TEXT, usage: null }, { usage: null }], ABSENT],
]

describe.each(Object.entries(FORMS))('%s', (_, { protocol, write, without_counts }) => {
  test.each(CASES)('%s', (_name, events, expected) => {
    const [reading, polled] = [protocol.text.stream.open(), protocol.text.stream.open()]
    for (const event of events) {
      const payload = event === 'without counts' ? without_counts : write(event)
      const data = toByteString(Buffer.from(JSON.stringify(payload)))
      reading.read(data)
      polled.read(data)
      polled.usage()
    }
    for (const usage of [reading.usage(), polled.usage()])
      expect(usage ? [usage.input_tokens, usage.output_tokens] : ABSENT).toEqual(expected as string)
  })
})
