// `public_url` of a running gateway: a new one counts at once for links, and for which pages are the console's own.
import { expect, test } from 'bun:test'
import { signedIn } from '../support/console-session.ts'
import { fileScene } from '../support/scene.ts'

const PUBLIC = 'https://gateway.example.com'
const { gateway, recatalogue } = await fileScene()
await gateway.account('alice')

async function seen(): Promise<{ link: string; viewer: unknown; status: number }> {
  const operator = await signedIn(gateway, 'operator')
  const body = { account: 'alice' }
  const { url } = await operator.json('POST', '/invitations', body)
  const { viewer } = await operator.json('GET', '/session')
  const { status } = await operator.send('POST', '/invitations', { body, origin: PUBLIC })
  return { link: new URL(url).origin, viewer: viewer.public_url, status }
}

test('it comes, and goes, without a restart', async () => {
  const own = gateway.url.origin
  expect(await seen()).toEqual({ link: own, viewer: null, status: 403 })
  await recatalogue({ server: `public_url = "${PUBLIC}"` })
  expect(await seen()).toEqual({ link: PUBLIC, viewer: PUBLIC, status: 200 })
  await recatalogue()
  expect(await seen()).toEqual({ link: own, viewer: null, status: 403 })
})
