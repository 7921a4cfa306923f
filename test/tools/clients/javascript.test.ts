// SDKs and frameworks of npm as their users install them: with another base address, a key and a model, all their features work.
import { describe, expect, test } from 'bun:test'
import { fileScene } from '../../support/scene.ts'
import { clientsCatalogue, INPUT_NANOS, OUTPUT_NANOS, SCRIPTED, SIMULATED } from './catalogue.ts'
import { FEATURES, type Feature, findFaults } from './feature.ts'
import type { JavascriptClient } from './javascript/client.ts'
import { JAVASCRIPT_CLIENTS } from './javascript/clients.ts'
import { PNG_BEGINS } from './material.ts'
import { INPUT_TOKENS, OUTPUT_TOKENS, toolScript } from './tool-script.ts'

const TOOL_CALLS = 3
const { gateway, upstream } = await fileScene({
  catalogue: clientsCatalogue,
  script: toolScript(TOOL_CALLS),
})

/** Features that need the scripted provider, which records requests and calls tools. */
const SCRIPTED_FEATURES: readonly Feature[] = ['tools', 'image']

const EACH = JAVASCRIPT_CLIENTS.map((client) => [client.name, client] as const)

describe.each(EACH)('%s', (_, client) => {
  const features = FEATURES.filter((feature) => client.features[feature])
  test.each(features)('the feature %s works', async (feature) => {
    const { calls, observation, bodies } = await tryFeature(client, feature)
    const image_arrived = bodies.some((body) => body.includes(PNG_BEGINS))
    const evidence = { calls, tool_calls: TOOL_CALLS, ...(feature === 'image' ? { image_arrived } : {}) }
    expect(findFaults(feature, observation, evidence)).toEqual([])
    for (const call of calls) expect(call).toMatchObject({ surface: client.surface, estimated: 0 })
    if (SCRIPTED_FEATURES.includes(feature))
      for (const { cost_nanos } of calls)
        expect(cost_nanos).toBe(INPUT_TOKENS * INPUT_NANOS + OUTPUT_TOKENS * OUTPUT_NANOS)
  })
})

async function tryFeature(client: JavascriptClient, feature: Feature) {
  const models = SCRIPTED_FEATURES.includes(feature) ? SCRIPTED : SIMULATED
  const key = await gateway.caller()
  const before = { calls: gateway.rows().calls.length, seen: upstream.requests.length }
  const at = { url: gateway.url.origin, key, model: models[client.protocol] }
  const observation = await client.features[feature]?.(at)
  const { calls } = await gateway.atRest()
  const bodies = upstream.requests.slice(before.seen).map(({ body }) => body.toString())
  return { observation: observation ?? {}, calls: calls.slice(before.calls), bodies }
}
