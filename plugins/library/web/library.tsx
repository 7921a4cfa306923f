// Page Library, with tabs for generated images and uploaded files.
import { useAccountScope } from '../../console/web/parts/account-choice.tsx'
import { AccountFilter } from '../../console/web/parts/filter-fields.tsx'
import { Page } from '../../console/web/parts/page.tsx'
import { Tabs } from '../../console/web/parts/tabs.tsx'
import { Generated } from './generated.tsx'
import { Uploaded } from './uploaded.tsx'

export default function Library() {
  const scope = useAccountScope()
  return (
    <Page
      title="Library"
      lead="Generated images and uploaded files, to edit or to use as references."
      actions={
        scope.is_operator && (
          <AccountFilter any="All accounts" value={scope.account ?? ''} onChange={scope.choose} />
        )
      }
    >
      <Tabs
        label="Library"
        tabs={[
          { value: 'generated', title: 'Generated', content: <Generated scope={scope} /> },
          { value: 'uploaded', title: 'Uploaded', content: <Uploaded scope={scope} /> },
        ]}
      />
    </Page>
  )
}
