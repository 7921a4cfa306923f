// Page entry of vouchers for the staff, below "Accounts".
import { OPERATOR, type PageEntry } from '../../console/web/app/page-entry.ts'

export const voucher_pages: readonly PageEntry[] = [
  {
    path: '/vouchers',
    title: 'Vouchers',
    seen_by: OPERATOR,
    below: '/accounts',
    load: () => import('./page.tsx'),
    also: 'codes redeem gift cards credit batches',
  },
]
