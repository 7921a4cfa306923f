// Typed clients: every kind of answer has the fields that those of Rust, Java and Python demand, since they cannot read an answer without one.
import { expect, test } from 'bun:test'
import { fileScene } from '../../../support/scene.ts'
import { collectAnswers } from './answers.ts'
import { DEMANDS, lacksOf, visitObjects } from './demands.ts'
import { TYPED_CATALOGUE } from './requests.ts'

const { gateway, key } = await fileScene({ catalogue: () => TYPED_CATALOGUE })
const answers = await collectAnswers(gateway.url.origin, key)

test('no answer lacks a field that a client demands', () => {
  const lacks = answers.flatMap((answer) => lacksOf(answer, DEMANDS).map((lack) => `${answer.name}: ${lack}`))
  expect(lacks).toEqual([])
})

test('the answers include every type and every place that has demands', () => {
  const places = new Set<string>()
  for (const { type, json } of answers) visitObjects(json, (place) => places.add(`${type} ${place}`))
  const demanded = Object.entries(DEMANDS).flatMap(([type, of_type]) =>
    Object.keys(of_type).map((place) => `${type} ${place}`),
  )
  expect(demanded.length).toBeGreaterThan(150)
  expect(demanded.filter((place) => !places.has(place))).toEqual([])
})

test.each([
  ['images', 'usage', 'input_tokens'],
  ['chat', '', 'choices'],
  ['response', 'output[]<message>', 'id'],
  ['response_event', '<response.output_text.delta>', 'logprobs'],
  ['transcription_verbose', 'segments[]', 'seek'],
])('a missing field is noticed, in %s: %s %s', (type, place, field) => {
  const answer = answers.find((each) => {
    let has_field = false
    if (each.type === type)
      visitObjects(each.json, (at, object) => {
        has_field ||= at === place && field in object
      })
    return has_field
  })
  if (!answer) throw new Error(`no ${type} has ${place} ${field}`)
  const json = structuredClone(answer.json)
  visitObjects(json, (at, object) => {
    if (at === place) Reflect.deleteProperty(object, field)
  })
  expect(lacksOf({ type: answer.type, json }, DEMANDS)).toContain(`${place}: ${field}`)
})
