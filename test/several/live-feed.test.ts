// Live feeds of several gateways: each reports its own calls as they progress, and calls of the others once, when they are settled.
import { describe, expect, test } from 'bun:test'
import { eventually } from '../support/eventually.ts'
import { answering, ask, wholePath } from '../support/native.ts'
import { hasPostgres } from '../support/postgres.ts'
import { heldBack } from '../support/upstream.ts'
import { type World, world } from './world.ts'

interface FeedEvent {
  type: string
  request_id: string
  cost_nanos?: number
  outcome?: string
}

/** Opens a feed, and collects its events. */
async function openFeed({ members }: World, member: number, key: string) {
  const leaving = new AbortController()
  const response = await fetch(new URL('/api/v1/events', members[member]?.url), {
    headers: { authorization: `Bearer ${key}` },
    signal: leaving.signal,
  })
  const events: FeedEvent[] = []
  const { promise: started, resolve } = Promise.withResolvers<void>()
  const read = async () => {
    let text = ''
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += chunk
      const parts = text.split('\n\n')
      text = parts.pop() ?? ''
      for (const part of parts) {
        const event = JSON.parse(/^data: (.*)$/m.exec(part)?.[1] ?? '{}') as FeedEvent
        if (event.type !== 'ping') events.push(event)
        resolve()
      }
    }
  }
  const reading = read().catch(() => {})
  await started
  const typesOf = (request_id: string) =>
    events.filter((event) => event.request_id === request_id).map(({ type }) => type)
  const leave = () => {
    leaving.abort()
    return reading
  }
  return { events, typesOf, leave }
}

const idOf = async (answer: Promise<Response>): Promise<string> => {
  const response = await answer
  await response.bytes()
  expect(response.status).toBe(200)
  return response.headers.get('x-request-id') ?? ''
}

describe.if(hasPostgres)('the feed of an account at one of two gateways', () => {
  test('reports each of its own calls, and once the settlement of each call at the other', async () => {
    const held = heldBack(answering)
    await using w = await world({ gateways: 2, script: held.script })
    const [key, stranger] = [await w.caller('100'), await w.caller('100')]
    // Starts before the feed is open and before all other calls, and ends last.
    const long = idOf(w.call(0, wholePath(), ask(), key))
    await held.received
    w.upstream.answer(answering)
    const feed = await openFeed(w, 1, key)
    // The gateway follows the others from the moment at which it has read their positions.
    const before: string[] = []
    await eventually('the gateway follows the others', async () => {
      before.push(await idOf(w.call(0, wholePath(), ask(), key)))
      return feed.events.length > 0
    })
    const [here, there]: [string[], string[]] = [[], []]
    for (let at = 0; at < 6; at += 1) {
      const ids = await Promise.all([0, 1].map((member) => idOf(w.call(member, wholePath(), ask(), key))))
      there.push(ids[0] ?? '')
      here.push(ids[1] ?? '')
      await idOf(w.call(0, wholePath(), ask(), stranger))
    }
    held.release()
    there.push(await long)
    await eventually('all are reported', () => there.every((id) => feed.typesOf(id).length > 0))
    // An event that came twice would have arrived by then.
    const last = await idOf(w.call(0, wholePath(), ask(), key))
    await eventually('a later call is reported', () => feed.typesOf(last).length > 0)
    expect(here.map(feed.typesOf)).toEqual(here.map(() => ['held', 'first_byte', 'settled']))
    expect(there.map(feed.typesOf)).toEqual(there.map(() => ['settled']))
    for (const id of before) expect(feed.typesOf(id).length).toBeLessThanOrEqual(1)
    const later = feed.events.filter(({ request_id }) => !before.includes(request_id))
    expect(later).toHaveLength(here.length * 3 + there.length + 1)
    for (const event of feed.events.filter(({ type }) => type === 'settled'))
      expect(event).toMatchObject({ outcome: 'completed', cost_nanos: expect.any(Number) })
    await feed.leave()
    await w.rest()
  })
})
