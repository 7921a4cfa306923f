// SDKs and frameworks of npm as their users have them: with another base address, a key and a model, they do all that they do.
import { describe, expect, test } from 'bun:test'
import { fileScene } from '../../support/scene.ts'
import { clientsCatalogue, READ_NANOS, SCRIPTED, SIMULATED, WRITTEN_NANOS } from './catalogue.ts'
import { complaints, FEATURES, type Feature } from './feature.ts'
import type { JavascriptClient } from './javascript/client.ts'
import { JAVASCRIPT_CLIENTS } from './javascript/clients.ts'
import { PNG_BEGINS } from './material.ts'
import { READ_TOKENS, toolScript, WRITTEN_TOKENS } from './tool-script.ts'

const TOOL_CALLS = 3
const { gateway, upstream } = await fileScene({
  catalogue: clientsCatalogue,
  script: toolScript(TOOL_CALLS),
})

/** Features for which it is told what reaches the provider, and when it calls a tool. */
const SCRIPTED_FEATURES: readonly Feature[] = ['tools', 'image']

const EACH = JAVASCRIPT_CLIENTS.map((client) => [client.name, client] as const)

describe.each(EACH)('%s', (_, client) => {
  const features = FEATURES.filter((feature) => client.features[feature])
  test.each(features)('%s', async (feature) => {
    const { calls, shown, sent } = await tried(client, feature)
    const image_arrived = sent.some((body) => body.includes(PNG_BEGINS))
    const evidence = { calls, tool_calls: TOOL_CALLS, ...(feature === 'image' ? { image_arrived } : {}) }
    expect(complaints(feature, shown, evidence)).toEqual([])
    for (const call of calls) expect(call).toMatchObject({ surface: client.surface, estimated: 0 })
    if (SCRIPTED_FEATURES.includes(feature))
      for (const { cost_nanos } of calls)
        expect(cost_nanos).toBe(READ_TOKENS * READ_NANOS + WRITTEN_TOKENS * WRITTEN_NANOS)
  })
})

async function tried(client: JavascriptClient, feature: Feature) {
  const models = SCRIPTED_FEATURES.includes(feature) ? SCRIPTED : SIMULATED
  const key = await gateway.caller()
  const before = { calls: gateway.rows().calls.length, seen: upstream.seen.length }
  const at = { url: gateway.url.origin, key, model: models[client.protocol] }
  const shown = await client.features[feature]?.(at)
  const { calls } = await gateway.atRest()
  const sent = upstream.seen.slice(before.seen).map(({ body }) => body.toString())
  return { shown: shown ?? {}, calls: calls.slice(before.calls), sent }
}
