// The page "Vouchers": batches and single vouchers.
import { TicketPlus } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../console/web/parts/button.tsx'
import { Page } from '../../console/web/parts/page.tsx'
import { Tabs } from '../../console/web/parts/tabs.tsx'
import { BatchList } from './batch-list.tsx'
import { CreateDialog } from './create-dialog.tsx'
import { VoucherList } from './voucher-list.tsx'

export default function Vouchers() {
  const [creating, setCreating] = useState(false)
  return (
    <Page
      title="Vouchers"
      lead="Codes that you give away or sell. Each adds its amount to the balance of the account that redeems it, once."
      actions={
        <Button look="primary" icon={TicketPlus} right="operate" onClick={() => setCreating(true)}>
          Create vouchers
        </Button>
      }
    >
      <Tabs
        label="Vouchers"
        tabs={[
          { value: 'batches', title: 'Batches', content: <BatchList /> },
          { value: 'vouchers', title: 'Vouchers', content: <VoucherList /> },
        ]}
      />
      <CreateDialog open={creating} onClose={() => setCreating(false)} />
    </Page>
  )
}
