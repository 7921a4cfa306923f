// The page "Plan" of an account.
import { Page } from '../../console/web/parts/page.tsx'
import { AccountPlan } from './account-plan.tsx'

const Plan = () => (
  <Page
    title="Plan"
    lead="Pay once a month for calls within limits. Calls that your plan covers take nothing from your balance."
  >
    <AccountPlan />
  </Page>
)

export default Plan
