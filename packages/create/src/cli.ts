#!/usr/bin/env node
import { runTrellis } from './index.ts';

process.exitCode = await runTrellis(process.argv.slice(2));
