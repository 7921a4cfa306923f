// Several gateways on the System page: the one that answers is marked, and a clock that is off is reported.
import { expect, test } from 'bun:test'
import { plugins } from '../../plugins/index.ts'
import type { SharingGateways } from '../../src/app/surface/gateway.ts'
import { fileConsole } from '../support/console.ts'
import { pluginsOver } from '../support/plugins.ts'
import { WALK_SCREENS } from '../support/screens.ts'

const shared: { gateways: SharingGateways | undefined } = { gateways: undefined }
const { visit } = await fileConsole({
  plugins: pluginsOver(plugins, (gateway) => ({
    ...gateway,
    operations: { ...gateway.operations, gateways: () => shared.gateways },
  })),
})

const gatewayOf = (id: number, name: string) => ({
  id,
  name,
  version: '1.4.0',
  started_at_ms: Date.now() - 3 * 86_400_000 + id,
  seen_at_ms: Date.now(),
  is_this: name === 'web-2',
})

test.each(WALK_SCREENS)('the operator sees all gateways: %s', async (size) => {
  shared.gateways = {
    clock_ahead_ms: 90_400,
    alive: [gatewayOf(4, 'tollgate-7f9c5d6b8-x2x9q'), gatewayOf(5, 'web-2'), gatewayOf(7, 'web-3')],
  }
  await using one = await visit('operator', { size })
  await one.open('/console/system')
  const table = one.page.getByRole('table', { name: 'Gateways' })
  await table.getByText('answers this page').waitFor()
  await one.page.getByText(/clock is .* behind the database's/).waitFor()
  await one.looksRight()
  await one.isClean()
})

test('a gateway that shares no database has no such table', async () => {
  shared.gateways = undefined
  await using one = await visit('operator')
  await one.open('/console/system')
  await one.page.getByRole('heading', { name: 'Plugins' }).waitFor()
  expect(await one.page.getByRole('table', { name: 'Gateways' }).count()).toBe(0)
})
