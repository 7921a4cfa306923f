// The start of the console in the browser.
import { createRoot } from 'react-dom/client'
import { App } from './app/app.tsx'
import { applyTheme } from './app/theme.ts'

applyTheme()
const place = document.getElementById('console')
if (place) createRoot(place).render(<App />)
