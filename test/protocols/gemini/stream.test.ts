// The reading of a native stream: usage, end, failure, and delivered tokens.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { gemini } from '../../../src/protocols/gemini/index.ts'
import { events, lines, read } from './recordings.ts'

const textEvent = (text: string): string =>
  JSON.stringify({ candidates: [{ content: { parts: [{ text }], role: 'model' }, index: 0 }] })

describe('recordings', () => {
  const cases: [string, { finished: boolean; failed: boolean }][] = [
    ['stream-text', { finished: true, failed: false }],
    ['stream-usage-at-end', { finished: true, failed: false }],
    ['stream-thinking', { finished: true, failed: false }],
    ['stream-thinking-exhausted', { finished: true, failed: false }],
    ['stream-function-call', { finished: true, failed: false }],
    ['stream-cached', { finished: true, failed: false }],
    ['stream-prompt-blocked', { finished: true, failed: false }],
    ['stream-safety-finish', { finished: true, failed: false }],
    ['stream-image', { finished: true, failed: false }],
    ['stream-error', { finished: false, failed: true }],
  ]
  test.each(cases)('%s ends as %o, and not before its last event', (name, end) => {
    const before = read(lines(name).slice(0, -1))
    expect({ finished: before.finished, failed: before.failed }).toEqual({ finished: false, failed: false })
    const after = read(lines(name))
    expect({ finished: after.finished, failed: after.failed }).toEqual(end)
  })

  test.each(cases.map(([name]) => name))('%s: the last usageMetadata of a stream counts', (name) => {
    const last = events(name).findLast((event) => event.usageMetadata !== undefined) ?? {}
    expect(read(lines(name)).usage()).toEqual(gemini.text.readUsage(last))
  })
})

describe('the end of a stream', () => {
  test.each([
    ['a text about finishReason', textEvent('{"finishReason": "STOP"} and "promptFeedback"')],
    ['the text "finishReason"', textEvent('finishReason')],
    ['the text "error"', textEvent('error')],
    [
      'a function argument of that name',
      '{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":{"finishReason":"STOP","error":1,"blockReason":"x"}}}]}}]}',
    ],
    ['an empty event', ''],
    ['an event that is not JSON', '{"candidates": [{"finishReason": "STOP"'],
    ['an event that is not an object', '["finishReason", "error"]'],
    ['a finishReason that is null', '{"candidates":[{"finishReason":null}]}'],
  ])('is not %s', (_name, event) => {
    const { finished, failed } = read([event])
    expect({ finished, failed }).toEqual({ finished: false, failed: false })
  })

  test('events that follow it are still read: the last usage counts', () => {
    const reading = read([
      '{"candidates":[{"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":1}}',
      '{"usageMetadata":{"promptTokenCount":1,"candidatesTokenCount":9}}',
    ])
    expect(reading.usage()?.output_tokens).toBe(9)
  })
})

describe('usage', () => {
  test('is undefined while none has been reported', () =>
    expect(read([textEvent('hello')]).usage()).toBeUndefined())

  test('a text about usageMetadata is not usage', () => {
    const reading = read([textEvent('"usageMetadata": {"promptTokenCount": 5}')])
    expect(reading.usage()).toBeUndefined()
  })

  test('an event without usage leaves the earlier one', () => {
    const reading = read(['{"usageMetadata":{"promptTokenCount":5}}', textEvent('hello')])
    expect(reading.usage()?.input_tokens).toBe(5)
  })

  test('the text "usageMetadata" does not hide the earlier one', () => {
    const reading = read(['{"usageMetadata":{"promptTokenCount":5}}', textEvent('usageMetadata')])
    expect(reading.usage()?.input_tokens).toBe(5)
  })

  test('a function argument of that name does not hide the earlier one', () => {
    const call =
      '{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":{"usageMetadata":1}}}]}}]}'
    expect(read(['{"usageMetadata":{"promptTokenCount":5}}', call]).usage()?.input_tokens).toBe(5)
  })
})

describe('delivered tokens, estimated', () => {
  const cases: [string, string[], number][] = [
    ['nothing before the first event', [], 0],
    ['text, four bytes a token', [textEvent('abcdefgh')], 2],
    [
      'texts of several parts',
      ['{"candidates":[{"content":{"parts":[{"text":"abcd","thought":true},{"text": "efgh"}]}}]}'],
      2,
    ],
    ['text across events is rounded up once', [textEvent('ab'), textEvent('c'), textEvent('d')], 1],
    ['error text is never output', ['{"error":{"code":503,"message":"a long story about what failed"}}'], 0],
    ['a blocked prompt delivers nothing', lines('stream-prompt-blocked'), 0],
    ['hidden thinking is not delivered', lines('stream-thinking-exhausted'), 0],
    ['an image as the provider counts it, and the text before it', lines('stream-image'), 1296],
    ['malformed events deliver nothing', ['{"text"', '"text":', '"text": "open'], 0],
  ]
  test.each(cases)('%s', (_name, data, tokens) => expect(read(data).deliveredTokens()).toBe(tokens))

  test('a function call counts by its JSON, not by its signature', () => {
    const [call = ''] = lines('stream-function-call')
    expect(read([call]).deliveredTokens()).toBeWithin(15, 40)
  })

  test('the bytes of any text count in their escaped form (property)', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' })), (texts) => {
        const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(JSON.stringify(text)) - 2, 0)
        expect(read(texts.map(textEvent)).deliveredTokens()).toBe(Math.ceil(bytes / 4))
      }),
    )
  })
})
