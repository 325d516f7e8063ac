"""Many runs: what varies in, outcomes out, on CPU threads, a GPU or a cluster. See
docs/campaigns.md.

from softdock.campaign.plan import load_plan               # a file or preset, every draw checked
from softdock.archive.campaign_folder import run_campaign  # run it, by shards, with its page
"""
