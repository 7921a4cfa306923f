// Notice that a payment method is in test mode.
import { Notice } from '../../console/web/parts/notice.tsx'

export const TestMode = ({ is_test }: { is_test: boolean | undefined }) =>
  is_test ? <Notice tone="warn">Test mode: no money moves.</Notice> : null
