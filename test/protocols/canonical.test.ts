// The canonical form's own helpers, and the seals that travel through others' fields.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { madeCallId, mergeTurns, parseArguments, type Turn } from '../../src/protocols/canonical.ts'
import { packSignature, unpackSignature } from '../../src/protocols/signature.ts'

const says = (role: Turn['role'], text: string): Turn => ({ role, parts: [{ kind: 'text', text }] })

describe('turns', () => {
  test('of one role are made one, and empty ones are left out', () => {
    const turns = [
      says('user', 'a'),
      { role: 'assistant' as const, parts: [] },
      says('user', 'b'),
      says('assistant', 'c'),
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

test('made ids differ by answer and by place', () => {
  expect(
    new Set([madeCallId('c', 0, 0), madeCallId('c', 0, 1), madeCallId('c', 1, 0), madeCallId('c', 1, 1)])
      .size,
  ).toBe(4)
})

test.each([
  ['', {}],
  ['  ', {}],
  ['{"a":1}', { a: 1 }],
  ['{', undefined],
  ['[1]', undefined],
  ['null', undefined],
  ['"a"', undefined],
])('arguments %p are %p', (text, expected) => {
  expect(parseArguments(text)).toEqual(expected)
})

describe('a seal in the field of another vendor', () => {
  const issuer = fc.constantFrom('gemini' as const, 'anthropic' as const, 'openai' as const)
  const sealed = fc.constantFrom('thinking' as const, 'tool_call' as const, 'redacted_thinking' as const)
  const value = fc.uint8Array({ minLength: 1 }).map((bytes) => Buffer.from(bytes).toString('base64'))

  test('comes back with its issuer and what it seals, as base64 in between', () => {
    fc.assert(
      fc.property(issuer, issuer, sealed, value, (from, carrier, what, text) => {
        fc.pre(from !== carrier)
        const packed = packSignature({ issuer: from, value: text }, what, carrier)
        expect(packed).toMatch(/^[A-Za-z0-9+/]+=*$/)
        expect(unpackSignature(packed, carrier)).toEqual({
          signature: { issuer: from, value: text },
          sealed: what,
        })
        // Some SDKs write bytes in the alphabet for addresses.
        const url_safe = packed.replaceAll('+', '-').replaceAll('/', '_')
        expect(unpackSignature(url_safe, carrier).signature.value).toBe(text)
      }),
    )
  })

  test("a vendor's own goes through untouched", () => {
    fc.assert(
      fc.property(issuer, sealed, value, (carrier, what, text) => {
        expect(packSignature({ issuer: carrier, value: text }, what, carrier)).toBe(text)
        expect(unpackSignature(text, carrier).signature).toEqual({ issuer: carrier, value: text })
      }),
    )
  })
})
