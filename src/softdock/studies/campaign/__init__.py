"""Many runs: what varies in, outcomes out, on CPU threads, a GPU or a cluster. See
docs/campaigns.md.

from softdock.studies.campaign.plan import load_plan     # a file or preset, checked
from softdock.output.folders.campaign_folder import run_campaign  # run, with its page
"""
