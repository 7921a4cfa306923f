// `public_url` of a running gateway: a change applies at once to links and to the console's own origins.
import { expect, test } from 'bun:test'
import { signedIn } from '../support/console-session.ts'
import { fileScene } from '../support/scene.ts'

const PUBLIC = 'https://gateway.example.com'
const { gateway, recatalogue } = await fileScene()
await gateway.account('alice')

async function originsInUse(): Promise<{ link: string; viewer: unknown; status: number }> {
  const operator = await signedIn(gateway, 'operator')
  const body = { account: 'alice' }
  const { url } = await operator.json('POST', '/invitations', body)
  const { viewer } = await operator.json('GET', '/session')
  const { status } = await operator.send('POST', '/invitations', { body, origin: PUBLIC })
  return { link: new URL(url).origin, viewer: viewer.public_url, status }
}

test('public_url is set and removed without a restart', async () => {
  const own = gateway.url.origin
  expect(await originsInUse()).toEqual({ link: own, viewer: null, status: 403 })
  await recatalogue({ server: `public_url = "${PUBLIC}"` })
  expect(await originsInUse()).toEqual({ link: PUBLIC, viewer: PUBLIC, status: 200 })
  await recatalogue()
  expect(await originsInUse()).toEqual({ link: own, viewer: null, status: 403 })
})
