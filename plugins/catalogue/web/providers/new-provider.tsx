// The page New provider, with a test before it is saved.
import { useLocation } from 'wouter'
import { pathPart } from '../../../console/web/app/client.ts'
import { Page } from '../../../console/web/parts/page.tsx'
import { AddProvider } from '../new-provider/add-provider.tsx'
import { useReportAdded } from '../parts/saving.ts'

export default function NewProviderPage() {
  const [, go] = useLocation()
  const added = useReportAdded()
  return (
    <Page
      title="New provider"
      lead="Choose who serves your models, test the connection, and save."
      width="form"
    >
      <AddProvider
        onDone={(name, _model, saved) => {
          added(name, saved, () => go('/providers'))
          go(`/providers/${pathPart(name)}`)
        }}
        onCancel={() => go('/providers')}
      />
    </Page>
  )
}
