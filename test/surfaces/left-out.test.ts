// The promise: an answer of a lenient server means the same to every caller, or is a clear failure; never another answer.
import { describe, expect, test } from 'bun:test'
import { inFull, outputTokens, promptTokens, type ReportedUsage } from '../../src/domain/usage.ts'
import { isObject, type Json, type JsonObject } from '../../src/protocols/wire/json.ts'
import { IS_LONG } from '../support/long.ts'
import { common, isFor, isPartial, lastKey } from './compared.ts'
import {
  OWN,
  optionalFields,
  type Path,
  type Played,
  play,
  type Recording,
  recordings,
  SURFACES,
  without,
} from './left-out.ts'
import type { Surface } from './servers.ts'

/** A recording's own surface plays it without each field, each other without a tenth (surfaces encode what is decoded once); a long run plays all. */
const isPlayed = ({ protocol }: Recording, surface: Surface, at: number): boolean =>
  IS_LONG || surface === OWN[protocol] || (at + SURFACES.indexOf(surface)) % (2 * SURFACES.length) === 0
const MIN_SAME = IS_LONG ? 15_000 : 5_500

type Outcome = 'same' | 'failed' | 'changed' | 'unreadable'

function outcomeOf(before: Played, after: Played, path: Path): Outcome {
  if (after.unreadable) return 'unreadable'
  if (after.answer === undefined) return 'failed'
  return Bun.deepEquals(common(before, path), common(after, path)) ? 'same' : 'changed'
}

/**
 * Counts that others are made of, counts that a stream reports twice, and counts that split a total: without the tokens that tools
 * read, or the seconds that mark tokens as audio, the rest of the total counts as another part.
 */
const PARTS_OF_SUMS =
  /iterations|cache_creation|^usage(?:\.(?:input|cache_read_input)_tokens)?$|total_tokens|cached_tokens$|prompt_tokens|toolUsePromptTokenCount|prompt_audio_seconds/

/** The charge may lack the field's count, or be estimated where the usage makes no sense; nothing else of it changes. */
function isChargedRightly(before: Played, after: Played, left_out: number): boolean {
  // A usage with a negative count is not believed: the charge is estimated.
  if (Object.values(after.usage ?? NONE).some((count) => count !== undefined && count < 0)) return true
  return [
    { has: after.usage?.input_tokens, sum: promptTokens },
    { has: after.usage?.output_tokens, sum: outputTokens },
  ].every(({ has, sum }) => {
    const known = sum(inFull(before.usage ?? NONE))
    const left = sum(inFull(after.usage ?? NONE))
    return has === undefined || left === known || left === known - left_out
  })
}
const NONE: ReportedUsage = {}

/** The last count at a path. */
function countAt(payloads: readonly JsonObject[], path: Path): number {
  const keys = path.replaceAll('[]', '.[]').split('.')
  const found = payloads.map((payload) =>
    keys.reduce<Json[]>(
      (values, key) =>
        values.flatMap((value) =>
          key === '[]' && Array.isArray(value) ? value : isObject(value) ? (value[key] ?? []) : [],
        ),
      [payload],
    ),
  )
  return Number(found.flat().findLast((value) => typeof value === 'number') ?? 0)
}

const RECORDINGS = recordings()

interface Results {
  wrong: string[]
  outcomes: Outcome[]
  failing: Set<string>
}

/** Plays every recording to callers of a surface, each time with one field left out. */
function playAll(surface: Surface): Results {
  const results: Results = { wrong: [], outcomes: [], failing: new Set() }
  for (const recording of RECORDINGS) {
    if (!isFor(recording, surface)) continue
    const before = play(recording, surface)
    if (!before.answer) results.wrong.push(`${recording.name} cannot be read as it is: ${before.failure}`)
    for (const [at, path] of optionalFields(recording).entries())
      if (!isPartial(recording, path) && isPlayed(recording, surface, at))
        playWithout(path, recording, surface, before, results)
  }
  return results
}

function playWithout(path: Path, recording: Recording, surface: Surface, before: Played, results: Results) {
  const payloads = recording.payloads.map((payload) => without(payload, path))
  const after = play({ ...recording, payloads }, surface)
  const outcome = outcomeOf(before, after, path)
  results.outcomes.push(outcome)
  if (outcome === 'failed') results.failing.add(`${recording.protocol} ${lastKey(path)}`)
  if (outcome === 'changed' || outcome === 'unreadable')
    results.wrong.push(`${recording.name} without ${path}: ${outcome} ${after.failure ?? ''}`)
  if (surface !== OWN[recording.protocol] || outcome !== 'same' || PARTS_OF_SUMS.test(path)) return
  if (!isChargedRightly(before, after, countAt(recording.payloads, path)))
    results.wrong.push(`${recording.name} without ${path}: charged as ${JSON.stringify(after.usage)}`)
}

const played = new Map<Surface, Results>()
function resultsOf(surface: Surface): Results {
  const results = played.get(surface) ?? playAll(surface)
  played.set(surface, results)
  return results
}

describe('every recording with one field left out', () => {
  test.each(SURFACES)('to callers of %s: the same answer, or a failure', (surface) => {
    expect(resultsOf(surface).wrong).toEqual([])
  })

  test('most answers stay the same', () => {
    const outcomes = SURFACES.flatMap((surface) => resultsOf(surface).outcomes)
    const same = outcomes.filter((outcome) => outcome === 'same').length
    process.stdout.write(`${outcomes.length} answers with a field left out, ${same} the same\n`)
    expect(same).toBeGreaterThan(MIN_SAME)
  })

  test('an answer fails only without these fields, where nothing else says the same', () => {
    const failing = new Set(SURFACES.flatMap((surface) => [...resultsOf(surface).failing]))
    expect([...failing].sort()).toEqual([
      'anthropic name',
      'anthropic stop_reason',
      'anthropic type',
      'gemini finishReason',
      'gemini name',
      'openai index',
      'openai name',
      'openai usage',
      'responses name',
      'responses type',
    ])
  })
})
