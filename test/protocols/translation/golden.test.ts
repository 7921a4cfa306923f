// Translations of every ordered pair of protocols, whole and streamed, against golden files that people read at every change.
import { describe, expect, test } from 'bun:test'
import type { TargetModel } from '../../../src/protocols/canonical/request.ts'
import { BUILT_IN_PROTOCOLS, type BuiltInProtocol } from '../../../src/protocols/registry.ts'
import {
  CONTEXT,
  decodeStream,
  golden,
  PAIRS,
  readRequest,
  recordedStream,
  recordedWhole,
  wireText,
} from './recordings.ts'

const TARGETS: Readonly<Record<string, Readonly<Record<BuiltInProtocol, string>>>> = {
  agent: { gemini: 'gemini-3-pro-preview', anthropic: 'claude-opus-4-6', openai: 'gpt-5' },
  settings: { gemini: 'gemini-2.5-flash', anthropic: 'claude-sonnet-4-20250514', openai: 'gpt-4.1' },
}

const pretty = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`

describe('a request', () => {
  for (const [from, to] of PAIRS) {
    test.each(Object.keys(TARGETS))(`of ${from} for a model of ${to}: %s`, (name) => {
      const target: TargetModel = { model: TARGETS[name]?.[to] ?? '', max_output_tokens: 64_000 }
      const request = BUILT_IN_PROTOCOLS[from].text.decodeRequest(readRequest(from, name), true)
      const made = pretty(BUILT_IN_PROTOCOLS[to].text.encodeRequest(request, target))
      expect(made).toBe(golden(`requests/${name}.${from}-to-${to}.json`, made))
    })
  }
})

const SCENARIOS = ['text', 'tools', 'refused', 'length']

describe('an answer', () => {
  for (const [from, to] of PAIRS) {
    const scenarios = from === 'gemini' ? [...SCENARIOS, 'blocked'] : SCENARIOS
    test.each(scenarios)(`of ${from} for a caller of ${to}, whole: %s`, (name) => {
      const answer = BUILT_IN_PROTOCOLS[from].text.decodeAnswer(recordedWhole(from, name), CONTEXT.id)
      const made = pretty(BUILT_IN_PROTOCOLS[to].text.encodeAnswer(answer, CONTEXT))
      expect(made).toBe(golden(`answers/${name}.${from}-to-${to}.json`, made))
    })

    test.each(scenarios)(`of ${from} for a caller of ${to}, streamed: %s`, (name) => {
      const made = wireText(to, decodeStream(from, recordedStream(from, name)))
      expect(made).toBe(golden(`streams/${name}.${from}-to-${to}.txt`, made))
    })
  }
})
