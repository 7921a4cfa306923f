// The canonical form's own helpers, and signatures that travel through fields of other formats.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { mergeTurns, newCallId, parseArguments, type Turn } from '../../src/protocols/canonical/parts.ts'
import { packSignature, unpackSignature } from '../../src/protocols/signature.ts'

const turn = (role: Turn['role'], text: string): Turn => ({ role, parts: [{ kind: 'text', text }] })

describe('turns', () => {
  test('of one role are merged, and empty ones are left out', () => {
    const turns = [
      turn('user', 'a'),
      { role: 'assistant' as const, parts: [] },
      turn('user', 'b'),
      turn('assistant', 'c'),
    ]
    expect(mergeTurns(turns).map(({ role, parts }) => [role, parts.length])).toEqual([
      ['user', 2],
      ['assistant', 1],
    ])
  })

  test('always alternate', () => {
    const turn = fc.record({
      role: fc.constantFrom('user' as const, 'assistant' as const),
      parts: fc.array(fc.constant({ kind: 'text' as const, text: 'x' }), { maxLength: 2 }),
    })
    fc.assert(
      fc.property(fc.array(turn), (turns) => {
        const merged = mergeTurns(turns)
        for (const [index, { role }] of merged.entries()) expect(role).not.toBe(merged[index - 1]?.role)
        expect(merged.flatMap(({ parts }) => parts)).toEqual(turns.flatMap(({ parts }) => parts))
      }),
    )
  })
})

test('new call ids differ by candidate and by position', () => {
  expect(
    new Set([newCallId('c', 0, 0), newCallId('c', 0, 1), newCallId('c', 1, 0), newCallId('c', 1, 1)]).size,
  ).toBe(4)
})

test.each([
  ['', {}],
  ['  ', {}],
  ['{"a":1}', { a: 1 }],
  ['{', undefined],
  ['[1]', undefined],
  ['null', {}],
  ['"a"', undefined],
])('arguments %p are %p', (text, expected) => {
  expect(parseArguments(text)).toEqual(expected)
})

describe('a signature in the field of another format', () => {
  const formats = fc.constantFrom('google-gemini-v1', 'anthropic-claude-v1', 'unheard-of/v9')
  const signed = fc.constantFrom('thinking' as const, 'tool_call' as const, 'redacted_thinking' as const)
  const value = fc.uint8Array({ minLength: 1 }).map((bytes) => Buffer.from(bytes).toString('base64'))

  test('is packed as base64, and unpacked with its format and the kind of its part', () => {
    fc.assert(
      fc.property(formats, formats, signed, value, (format, field_format, part_kind, text) => {
        fc.pre(format !== field_format)
        const packed = packSignature({ format, value: text }, part_kind, field_format)
        expect(packed).toMatch(/^[A-Za-z0-9+/]+=*$/)
        expect(unpackSignature(packed, field_format)).toEqual({
          signature: { format, value: text },
          signed: part_kind,
        })
        // Some SDKs write bytes in the base64 alphabet for URLs.
        const url_safe = packed.replaceAll('+', '-').replaceAll('/', '_')
        expect(unpackSignature(url_safe, field_format).signature.value).toBe(text)
      }),
    )
  })

  test.each([
    ['gemini', 'google-gemini-v1', 'anthropic-claude-v1'],
    ['anthropic', 'anthropic-claude-v1', 'google-gemini-v1'],
    ['openai', 'openai-responses-v1', 'google-gemini-v1'],
  ])(
    'with the mark %s, from before formats had their own names, has the format %s',
    (mark, format, field_format) => {
      const packed = Buffer.from(`${mark}.tool_call.c2lnbmF0dXJl`).toString('base64')
      expect(unpackSignature(packed, field_format)).toEqual({
        signature: { format, value: 'c2lnbmF0dXJl' },
        signed: 'tool_call',
      })
    },
  )

  test('in a field of its own format passes through unchanged', () => {
    fc.assert(
      fc.property(formats, signed, value, (format, part_kind, text) => {
        expect(packSignature({ format, value: text }, part_kind, format)).toBe(text)
        expect(unpackSignature(text, format).signature).toEqual({ format, value: text })
      }),
    )
  })
})
