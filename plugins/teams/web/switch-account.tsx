// The menu of the viewer's other accounts at the foot of the side bar; hidden without others.
import { ArrowLeftRight } from 'lucide-react'
import { clearTab } from '../../console/web/app/browser-storage.ts'
import { api, send } from '../../console/web/app/client.ts'
import { addressOf } from '../../console/web/app/gateway-address.ts'
import { useApi } from '../../console/web/app/query.ts'
import { useViewer } from '../../console/web/app/session.tsx'
import { useAction } from '../../console/web/parts/action.ts'
import { Button } from '../../console/web/parts/button.tsx'
import { Menu } from '../../console/web/parts/menu.tsx'

export function SwitchAccount() {
  const { side } = useViewer()
  const { data } = useApi(['session-accounts'], () => api.session.accounts.get(), {
    enabled: side !== 'key',
  })
  const { run } = useAction({
    work: async (account_id: number | null) => {
      await send(api.session.account.put({ account_id }))
      clearTab()
      location.assign(addressOf('/console'))
    },
    changes: ['session-accounts'],
  })
  const others = data?.sides.filter(({ is_current }) => !is_current) ?? []
  if (others.length === 0) return null
  return (
    <Menu
      label="Switch account"
      trigger={<Button look="quiet" icon={ArrowLeftRight} aria-label="Switch account" />}
      items={others.map(({ account_id, account, is_suspended }) => ({
        label: account === null ? 'Operators’ side' : is_suspended ? `${account} (suspended)` : account,
        onSelect: () => run(account_id),
      }))}
    />
  )
}
